import { isRecord, recordOf } from "@plenary/protocol";
import type { Entry, StreamFrame } from "./contract.ts";
import { type Http, queryOf } from "./http.ts";
import type { Limits } from "./retry.ts";

/** What this package needs of a WebSocket; that of browsers, Node, Bun, Deno and of the package `ws` fits. */
export type FloorSocket = {
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  close(): void;
};
export type FloorSocketConstructor = new (url: string) => FloorSocket;

/** gone: the speaker left or was removed. full: the reader is too slow. cut: everything else. */
export type StreamEnd = "gone" | "full" | "cut";

export type StreamOptions = {
  http: Http;
  limits: Limits;
  speakerUri: string;
  conversation: string;
  /** The last known sequence number. */
  after: () => number;
  signal: AbortSignal;
  onOpen: () => void;
};

/** Close code for a speaker who is no longer in the conversation. */
const goneCode = 4010;
const connecting = 0;

export const targetOf = ({ speakerUri, conversation, after }: StreamOptions) =>
  queryOf({ speaker: speakerUri, conversation, after: after(), view: "brief" });

/** A WebSocket. Browsers cannot send headers with it, so a ticket authenticates it (D33). */
export async function* socketFrames(
  Socket: FloorSocketConstructor,
  options: StreamOptions,
): AsyncGenerator<StreamFrame, StreamEnd> {
  const { http, signal, limits, speakerUri } = options;
  const { ticket } = await http.json<{ ticket: string }>("POST", "/api/v1/tickets", {
    body: { speaker: speakerUri },
    signal,
  });
  const place = `${http.url}/openfloor/ws${targetOf(options)}&ticket=${encodeURIComponent(String(ticket))}`;
  const inbox = openInbox(new Socket(place.replace(/^http/u, "ws")), options);
  const abort = () => inbox.end("cut");
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    for (;;) {
      const frame = inbox.take();
      if (frame !== undefined) yield frame;
      else if (inbox.ended() !== undefined) return inbox.ended() ?? "cut";
      else if (!(await inbox.changed(limits.socketSilenceMs)) && (await isBehind(options))) {
        if (!(await inbox.changed(limits.socketSilenceMs / 10))) return "cut";
      }
    }
  } finally {
    signal.removeEventListener("abort", abort);
    inbox.end("cut");
  }
}

/** The frames of a socket until they are taken. */
function openInbox(socket: FloorSocket, { limits, onOpen }: StreamOptions) {
  const frames: StreamFrame[] = [];
  let ended: StreamEnd | undefined;
  let wake = () => {};
  const timer = setTimeout(() => end("cut"), limits.requestMs);
  const end = (why: StreamEnd) => {
    if (ended !== undefined) return;
    ended = why;
    clearTimeout(timer);
    socket.onmessage = null;
    socket.onclose = null;
    // Browsers log an error when a connecting socket is closed.
    socket.onopen = () => socket.close();
    if (socket.readyState !== connecting) socket.close();
    wake();
  };
  socket.onopen = () => {
    clearTimeout(timer);
    onOpen();
  };
  socket.onmessage = ({ data }: { data: unknown }) => {
    const frame = frameIn(jsonIn(String(data)));
    if (frame === undefined) return;
    frames.push(frame);
    if (frames.length >= limits.framesMax) end("full");
    wake();
  };
  socket.onclose = ({ code }: { code: number }) => end(code === goneCode ? "gone" : "cut");
  // `close` follows.
  socket.onerror = () => {};
  return {
    end,
    take: () => frames.shift(),
    ended: () => ended,
    /** False when nothing happened within this time. */
    changed: (ms: number) =>
      new Promise<boolean>((resolve) => {
        const silence = setTimeout(() => resolve(false), ms);
        wake = () => {
          clearTimeout(silence);
          resolve(true);
        };
        if (frames.length > 0 || ended !== undefined) wake();
      }),
  };
}

/** Whether the log has entries that the socket did not bring: then the socket is dead without a sign. */
async function isBehind({ http, conversation, speakerUri, after, signal }: StreamOptions): Promise<boolean> {
  try {
    const path = `/api/v1/conversations/${encodeURIComponent(conversation)}/log`;
    const query = { after: after(), limit: 1, view: "brief", speaker: speakerUri };
    const { entries } = await http.json<{ entries: unknown[] }>("GET", path, { query, signal });
    return entries.length > 0;
  } catch {
    return true; // the next connection says why
  }
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined for what is no frame: a newer floor may send others. */
export function frameIn(value: unknown): StreamFrame | undefined {
  const { entry, draft } = recordOf(value);
  if (isEntry(entry)) return { seq: entry.seq, entry };
  const { dialogEventId, speakerUri, delta = "" } = recordOf(draft);
  const isDraft = [dialogEventId, speakerUri, delta].every((words) => typeof words === "string");
  return isDraft ? ({ draft } as StreamFrame) : undefined;
}

export function isEntry(value: unknown): value is Entry {
  return isRecord(value) && Number.isSafeInteger(value.seq) && typeof value.kind === "string";
}
