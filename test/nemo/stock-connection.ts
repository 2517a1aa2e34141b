// The socket of the stock web client: opened with its session and its conversation, reopened after a cut.
import { once } from "node:events";
import { WebSocket } from "ws";
import type { Json } from "./frame-checks.ts";

/** The stock client's counter, which is not reset after a success. */
const retriesMax = 3;

export type LineOptions = {
  /** Where the floor listens, such as http://127.0.0.1:7536. */
  url: string;
  session: string;
  conversation: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** stock: the web client. page: one that follows the published page. plain: a custom one that knows all types. */
  kind: "stock" | "page" | "plain";
  /** The stock client takes a second. */
  retryMs?: number;
};

type LineEvents = {
  onFrame(frame: Json): void;
  /** A frame that is not a JSON object as text. */
  onNonsense(shown: string): void;
  onAgain(isReload: boolean): void;
};

export function openLine(options: LineOptions, { onFrame, onNonsense, onAgain }: LineEvents) {
  const { retryMs = 20 } = options;
  const state = { isLeaving: false, isReload: false, retries: 0, opened: 0 };
  const onClose = () => {
    const { isLeaving, isReload, retries } = state;
    if (isLeaving || (retries >= retriesMax && !isReload)) return;
    if (isReload) return void connect();
    state.retries += 1;
    setTimeout(connect, retryMs).unref();
  };
  const connect = () => {
    ws = attend(socketOf(options));
  };
  const attend = (socket: WebSocket) => {
    socket.once("open", () => {
      const { isReload } = state;
      state.isReload = false;
      state.opened += 1;
      if (state.opened > 1) onAgain(isReload);
    });
    socket.on("message", (bytes, isBinary) => {
      const frame = isBinary ? undefined : frameIn(String(bytes));
      if (frame === undefined) onNonsense(String(bytes));
      else onFrame(frame);
    });
    socket.once("close", onClose);
    return socket;
  };
  let ws = attend(socketOf(options));
  const end = async () => {
    state.isLeaving = true;
    if (ws.readyState === WebSocket.CLOSED) return;
    const closed = once(ws, "close");
    ws.terminate();
    await closed;
  };
  return {
    connected: async () => {
      const refused = once(ws, "unexpected-response").then(([, response]) => {
        throw new Error(`the socket was not opened: ${response.statusCode}`);
      });
      await Promise.race([once(ws, "open"), refused]);
    },
    /** How often it was opened. */
    opened: () => state.opened,
    isOpen: () => ws.readyState === WebSocket.OPEN,
    send: (text: string | Buffer) => ws.send(text),
    cut: () => ws.terminate(),
    reload() {
      state.isReload = true;
      ws.close(1001);
    },
    end,
    /** Closes like a tab: the other side gets a close frame. */
    async leave() {
      state.isLeaving = true;
      const closed = once(ws, "close");
      ws.close(1001);
      await closed;
    },
    back() {
      state.isLeaving = false;
      connect();
    },
  };
}

/** The status of a refused upgrade; undefined when it is accepted. */
export async function refusalOf(options: Partial<LineOptions> & Pick<LineOptions, "url">): Promise<number | undefined> {
  const socket = socketOf({ session: "s", conversation: "c", kind: "stock", ...options });
  const opened = once(socket, "open").then(() => undefined);
  const refused = once(socket, "unexpected-response").then(([, response]) => response.statusCode as number);
  const status = await Promise.race([opened, refused]);
  socket.terminate();
  return status;
}

function socketOf({ url, session, conversation, query = {}, headers = {}, kind }: LineOptions): WebSocket {
  const given = new URLSearchParams({
    ...(session !== "" && { session }),
    ...(conversation !== "" && { conversation_id: conversation }),
    ...(kind === "page" && { profile: "page" }),
    ...query,
  });
  const cookie = kind === "stock" ? { cookie: `nemo-agent-toolkit-session=${session}` } : {};
  const socket = new WebSocket(`${url.replace(/^http/u, "ws")}/websocket?${given}`, {
    headers: { ...cookie, ...headers },
  });
  // Its close event reports the error.
  socket.on("error", () => {});
  return socket;
}

function frameIn(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
