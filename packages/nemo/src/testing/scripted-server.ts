import type { ClientClock, SocketDialler } from "../client/client-options.ts";

type Message = Record<string, unknown> & { type: string };
type Request = Parameters<SocketDialler["dialSocket"]>[0];

/** A queue whose `take` waits for the next value. */
function inbox<Value>() {
  const values: Value[] = [];
  const waiting: ((value: Value) => void)[] = [];
  return {
    put(value: Value) {
      const next = waiting.shift();
      if (next === undefined) values.push(value);
      else next(value);
    },
    async take(): Promise<Value> {
      const value = values.shift();
      return value ?? new Promise((resolve) => waiting.push(resolve));
    },
    get count() {
      return values.length;
    },
  };
}

/** One socket, seen from the server. */
export type Peer = {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The next message of the client. */
  take(): Promise<Message>;
  /** The number of messages not taken yet. */
  readonly unread: number;
  /** Whether the client closed it. */
  readonly isClosed: boolean;
  send(message: object): void;
  /** Closes without a close frame. */
  drop(): void;
};

/** A fake server. `connection()` returns the opened sockets in order. */
export function scriptedServer() {
  const peers = inbox<Peer>();
  const refusals: Error[] = [];
  const dialSocket = async ({ url, headers = {}, onText, onClose }: Request) => {
    const refusal = refusals.shift();
    if (refusal !== undefined) throw refusal;
    const messages = inbox<Message>();
    let isOpen = true;
    let isClosed = false;
    peers.put({
      url,
      headers,
      take: () => messages.take(),
      get unread() {
        return messages.count;
      },
      get isClosed() {
        return isClosed;
      },
      send: (message) => onText(JSON.stringify(message)),
      drop() {
        isOpen = false;
        onClose(1006, "");
      },
    });
    return {
      send(text: string) {
        if (isOpen) messages.put(JSON.parse(text));
        return isOpen;
      },
      close() {
        isOpen = false;
        isClosed = true;
      },
    };
  };
  return { dialSocket, connection: () => peers.take(), refuse: (error: Error) => void refusals.push(error) };
}

/** A clock that moves only by `advance`. */
export function scriptedClock(): ClientClock & { advance(ms: number): void } {
  let now = 0;
  let alarms: { at: number; ring: () => void }[] = [];
  return {
    now: () => now,
    after(ms, ring) {
      const alarm = { at: now + ms, ring };
      alarms.push(alarm);
      return () => {
        alarms = alarms.filter((one) => one !== alarm);
      };
    },
    advance(ms) {
      now += ms;
      const due = alarms.filter(({ at }) => at <= now);
      alarms = alarms.filter(({ at }) => at > now);
      for (const { ring } of due) ring();
    },
  };
}
