import { readEventStream } from "@plenary/protocol";
import { type Client, timeoutMs } from "./client.ts";
import type { StreamFrame } from "./types.ts";

/** An open source of frames. */
export type FrameSource = { close(): void };

export type FrameSourceEvents = {
  onOpen(): void;
  onFrame(frame: StreamFrame): void;
  /** Called once. `isGone` is true when the server ended the stream because the speaker left or was removed. */
  onEnd(isGone: boolean): void;
};

/** Close code for a speaker who is no longer in the conversation. */
const goneCode = 4010;

/** Opens a WebSocket. Browsers cannot send headers with it, so a ticket authenticates it (D33). */
export async function openSocket(
  client: Client,
  query: URLSearchParams,
  events: FrameSourceEvents,
): Promise<FrameSource> {
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
export async function openEventStream(
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
    if (event === "end") isGone = saysGone(data);
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

function saysGone(data: string): boolean {
  const end: unknown = JSON.parse(data);
  return typeof end === "object" && end !== null && "why" in end && end.why === "gone";
}

function emitFrame(text: unknown, { onFrame }: FrameSourceEvents): void {
  const frame: unknown = JSON.parse(String(text));
  if (isFrame(frame)) onFrame(frame);
}

function isFrame(value: unknown): value is StreamFrame {
  return typeof value === "object" && value !== null && ("entry" in value || "draft" in value);
}
