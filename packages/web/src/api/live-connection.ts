import type { StreamFrame } from "@plenary/client";
import { isRecord, readEventStream, recordOf } from "@plenary/protocol";
import { texts } from "../texts/texts.ts";
import { type Client, RequestError, timeoutMs } from "./client.ts";

export type LiveState = "live" | "reconnecting" | "gone";

type LiveOptions = {
  client: Client;
  conversation: string;
  speaker: string;
  /** The last known sequence number, read again for each connection. */
  after: () => number;
  onFrame: (frame: StreamFrame) => void;
  /** `problem` is the reason when the state is "gone". */
  onState: (state: LiveState, problem?: RequestError) => void;
};

const firstWaitMs = 250;
const longestWaitMs = 10_000;
/** After this many sockets in a row that never opened, Server-Sent Events are used. */
const socketFailuresMax = 3;

/**
 * Follows one conversation and reconnects after every cut. Each connection resumes after the last known sequence
 * number, so nothing is lost or doubled.
 */
export function openLiveConnection(options: LiveOptions) {
  let source: FrameSource | undefined;
  let attempt = 0;
  let failedSockets = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const connect = () => {
    clearTimeout(timer);
    const number = ++attempt;
    const isCurrent = () => !isClosed && number === attempt;
    let hasOpened = false;
    const hasSockets = failedSockets < socketFailuresMax;
    const open = hasSockets ? openSocket : openEventStream;
    open(options.client, queryOf(options), {
      onOpen: () => {
        if (!isCurrent()) return;
        hasOpened = true;
        failedSockets = 0;
        waitMs = firstWaitMs;
        options.onState("live");
      },
      onFrame: (frame) => isCurrent() && options.onFrame(frame),
      onEnd: (isGone) => {
        if (!isCurrent()) return;
        if (isGone) {
          source = undefined;
          options.onState("gone", new RequestError(texts.errors.notInConversation, 403));
          return;
        }
        if (hasSockets && !hasOpened) failedSockets += 1;
        again(hasOpened);
      },
    })
      .then((opened) => {
        if (isCurrent()) source = opened;
        else opened.close();
      })
      .catch((error: unknown) => {
        if (!isCurrent()) return;
        if (error instanceof RequestError && error.isDenied) options.onState("gone", error);
        else again(false);
      });
  };
  let waitMs = firstWaitMs;
  const again = (wasOpen: boolean) => {
    source = undefined;
    options.onState("reconnecting");
    // Jitter: clients that were cut off together must not reconnect together.
    const delayMs = wasOpen ? Math.random() * firstWaitMs : waitMs * (0.5 + Math.random() / 2);
    waitMs = Math.min(waitMs * 2, longestWaitMs);
    clearTimeout(timer);
    timer = setTimeout(connect, delayMs);
  };
  connect();
  return {
    /** Opens a new connection: the current one may be dead without a sign. */
    reconnect() {
      if (isClosed) return;
      source?.close();
      source = undefined;
      waitMs = firstWaitMs;
      connect();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      source?.close();
    },
  };
}

function queryOf({ speaker, conversation, after }: LiveOptions): URLSearchParams {
  return new URLSearchParams({ speaker, conversation, after: String(after()), view: "brief" });
}

/** An open source of frames. */
type FrameSource = { close(): void };

type FrameSourceEvents = {
  onOpen(): void;
  onFrame(frame: StreamFrame): void;
  /** Called once. `isGone` is true when the server ended the stream because the speaker left or was removed. */
  onEnd(isGone: boolean): void;
};

/** Close code for a speaker who is no longer in the conversation. */
const goneCode = 4010;

/** Opens a WebSocket. Browsers cannot send headers with it, so a ticket authenticates it (D33). */
async function openSocket(client: Client, query: URLSearchParams, events: FrameSourceEvents): Promise<FrameSource> {
  const speaker = query.get("speaker") ?? "";
  const { ticket } = await client.post<{ ticket: string }>("/api/v1/tickets", { speaker });
  const url = new URL(`/openfloor/ws?${query}&ticket=${encodeURIComponent(ticket)}`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  const timer = setTimeout(() => socket.close(), timeoutMs);
  socket.onopen = () => {
    clearTimeout(timer);
    events.onOpen();
  };
  socket.onmessage = ({ data }) => emitFrame(data, events);
  socket.onclose = ({ code }) => events.onEnd(code === goneCode);
  return {
    close() {
      clearTimeout(timer);
      socket.onmessage = null;
      socket.onclose = null;
      // Browsers log an error when a connecting socket is closed.
      socket.onopen = () => socket.close();
      if (socket.readyState !== WebSocket.CONNECTING) socket.close();
    },
  };
}

/** The same frames as Server-Sent Events, for networks that block WebSockets. */
async function openEventStream(
  client: Client,
  query: URLSearchParams,
  events: FrameSourceEvents,
): Promise<FrameSource> {
  const cut = new AbortController();
  const body = await client.stream(`/openfloor/events?${query}`, cut.signal);
  events.onOpen();
  const end = (isGone: boolean) => cut.signal.aborted || events.onEnd(isGone);
  // A broken stream ends like a closed one.
  read(body, events).then(end, () => end(false));
  return { close: () => cut.abort() };
}

/** Reads to the end. True when the server ended the stream because the speaker is gone. */
async function read(body: ReadableStream<Uint8Array>, events: FrameSourceEvents): Promise<boolean> {
  let isGone = false;
  for await (const { event, data } of readEventStream(textOf(body))) {
    if (event === "end") isGone = recordOf(JSON.parse(data)).why === "gone";
    else emitFrame(data, events);
  }
  return isGone;
}

/** Not every browser iterates over a stream. */
async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    yield decoder.decode(next.value, { stream: true });
  }
}

function emitFrame(text: unknown, { onFrame }: FrameSourceEvents): void {
  const frame: unknown = JSON.parse(String(text));
  if (isFrame(frame)) onFrame(frame);
}

function isFrame(value: unknown): value is StreamFrame {
  return isRecord(value) && ("entry" in value || "draft" in value);
}
