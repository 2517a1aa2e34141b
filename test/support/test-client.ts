// Viewers and agents without our code: a bare WebSocket, and fetch with a reader of event streams.
import { once } from "node:events";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { WebSocket } from "ws";
import type { Json } from "./envelopes.ts";
import { type FloorClient, token } from "./start-test-floor.ts";
import { createCollection } from "./wait-for.ts";

type Query = { speaker: string; conversation?: string; after?: string; as?: string; ticket?: string; view?: string };

export type Client = Awaited<ReturnType<typeof openSocket>>;

export async function openSocket(
  floor: Pick<FloorClient, "socketUrl">,
  query: Query,
  headers?: Record<string, string>,
) {
  const given = headers ?? (query.ticket === undefined ? { authorization: `Bearer ${token}` } : {});
  const ws = new WebSocket(floor.socketUrl(query), { headers: given });
  const frames = createCollection<Json>();
  const raw: string[] = [];
  ws.on("message", (data) => {
    raw.push(String(data));
    frames.add(JSON.parse(String(data)) as Json);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.once("close", (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await once(ws, "open");
  return {
    ws,
    raw,
    frames,
    closed,
    send: (frame: Json | string) => ws.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    async find(isIt: (frame: Json) => boolean, what: string): Promise<Json> {
      const items = await frames.until((all) => all.some(isIt), what);
      return items.find(isIt) ?? {};
    },
    async close() {
      ws.close();
      await closed;
    },
  };
}

/** The response to an upgrade that is refused; 101 when the socket opens. */
export async function refusalOf(floor: FloorClient, query: Query, headers: Record<string, string>) {
  const ws = new WebSocket(floor.socketUrl(query), { headers });
  ws.on("error", () => {});
  const opened = new Promise<undefined>((resolve) => {
    ws.once("open", () => resolve(undefined));
  });
  const refused = await Promise.race([opened, once(ws, "unexpected-response")]);
  if (refused === undefined) {
    ws.terminate();
    return { status: 101, body: {} as Json };
  }
  const [, response] = refused;
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode as number, body: JSON.parse(text) as Json };
}

export type StreamEvent = Partial<EventSourceMessage> & { comment?: string };

export async function openEvents(floor: FloorClient, query: Query, lastEventId?: string) {
  const controller = new AbortController();
  const response = await fetch(floor.eventsUrl(query), {
    headers: { authorization: `Bearer ${token}`, ...(lastEventId && { "last-event-id": lastEventId }) },
    signal: controller.signal,
  });
  const events = createCollection<StreamEvent>();
  const ended = readEvents(response, events.add).catch(() => {});
  return {
    status: response.status,
    events,
    async close() {
      controller.abort();
      await ended;
    },
  };
}

async function readEvents({ body }: Response, add: (event: StreamEvent) => void): Promise<void> {
  const { feed } = createParser({ onEvent: add, onComment: (comment) => add({ comment }) });
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) feed(text);
}

/** Only the events that carry an envelope. */
export function envelopesIn(events: readonly StreamEvent[]): readonly StreamEvent[] {
  return events.filter(({ data, event }) => data !== undefined && event === undefined);
}
