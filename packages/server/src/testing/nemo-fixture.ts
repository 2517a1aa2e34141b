// A floor with small hosted agents, and a NeMo client that speaks the bare protocol.
import { once } from "node:events";
import { expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { HostedAgents } from "../agents/hosted.ts";
import type { FloorServerOptions, FloorServerPorts } from "../options.ts";
import { createFloorServer } from "../server.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createCollectingLogger } from "./collecting-logger.ts";

type Json = Record<string, unknown>;
type WireEvent = { eventType: string; to?: Json; parameters?: { dialogEvent?: Json; dialogHistory?: Json[] } };

/** Gets the events that an agent received, and returns its answer. */
export type AgentHandler = (received: {
  events: WireEvent[];
  texts: string[];
  signal: AbortSignal;
}) => Promise<object[]> | object[];

export const operatorToken = "the-operators-own-token";

let utterances = 0;

export function utteranceEvent(
  speakerUri: string,
  text: string,
  more: { to?: Json; features?: Json; id?: string } = {},
): object {
  utterances += 1;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] }, ...more.features };
  const span = { startTime: "2026-01-01T00:00:00Z" };
  const dialogEvent = { id: more.id ?? `said-${utterances}`, speakerUri, span, features };
  return { eventType: "utterance", ...(more.to && { to: more.to }), parameters: { dialogEvent } };
}

export const uriOf = (name: string) => `tag:agents.example,2026:${name}`;

/** Each agent accepts every invite; its handler makes the rest of its answers. */
function hostedAgents(handlers: Record<string, AgentHandler>): HostedAgents {
  return {
    names: Object.keys(handlers),
    create(name, serviceUrl) {
      const speakerUri = uriOf(name);
      const handler = handlers[name];
      if (handler === undefined) return undefined;
      const identification = { speakerUri, serviceUrl, organization: "", conversationalName: name, synopsis: name };
      const manifest = { identification, capabilities: [] };
      const fetch = async (request: Request): Promise<Response> => {
        const { openFloor } = (await request.json()) as { openFloor: { conversation: Json; events: WireEvent[] } };
        const { events } = openFloor;
        const texts = events.flatMap(({ eventType, parameters }) => {
          const features = parameters?.dialogEvent?.features as { text?: { tokens: { value: string }[] } } | undefined;
          return eventType === "utterance" ? [features?.text?.tokens[0]?.value ?? ""] : [];
        });
        const isAsked = events.some(({ eventType }) => eventType === "getManifests");
        const isInvited = events.some(({ eventType }) => eventType === "invite");
        const answer = isAsked
          ? [{ eventType: "publishManifests", parameters: { servicingManifests: [manifest] } }]
          : [
              ...(isInvited ? [{ eventType: "acceptInvite" }] : []),
              ...(await handler({ events, texts, signal: request.signal })),
            ];
        const schema = { version: "1.1.0" };
        const conversation = { id: openFloor.conversation.id };
        return Response.json({
          openFloor: { schema, conversation, sender: { speakerUri, serviceUrl }, events: answer },
        });
      };
      return { fetch, manifest };
    },
  };
}

const unreachable: FloorServerPorts["dialler"] = {
  dial: () =>
    Promise.reject(
      Object.assign(new Error("no other host is reachable"), { code: "refused", isSent: false, retryable: false }),
    ),
};

export async function startNemoFixture(
  handlers: Record<string, AgentHandler> = {},
  options: FloorServerOptions = {},
  ports: Partial<FloorServerPorts> = {},
) {
  const { logger, errors } = createCollectingLogger();
  const clients: WebSocket[] = [];
  const server = await createFloorServer(
    { store: createMemoryStore(), dialler: unreachable, hostedAgents: hostedAgents(handlers), logger, ...ports },
    { token: operatorToken, drainMs: 0, listen: { port: 0 }, ...options },
  );
  const { url } = server;
  const socketUrl = `${url.replace("http", "ws")}/websocket`;
  const agentUrls = Object.keys(handlers).map((name) => `${url}/agents/${name}`);
  return {
    url,
    server,
    errors,
    socketUrl,
    agentUrls,
    /** Returns 101 when the socket opened, else the status of the refusal. */
    async tryConnect(query = "", headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
      const ws = new WebSocket(`${socketUrl}${query}`, { headers });
      ws.on("error", () => {});
      const refused = new Promise<{ status: number; body: string }>((resolve) => {
        ws.on("unexpected-response", (_request, response) => {
          let body = "";
          response.on("data", (chunk: Buffer) => {
            body += chunk.toString();
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
        });
      });
      const answer = await Promise.race([once(ws, "open").then(() => ({ status: 101, body: "" })), refused]);
      ws.terminate();
      return answer;
    },
    async connect(query = "", headers: Record<string, string> = {}) {
      const ws = new WebSocket(`${socketUrl}${query}`, { headers });
      clients.push(ws);
      const client = clientOn(ws);
      await once(ws, "open");
      return client;
    },
    /** The query with all agents of the fixture. */
    withAgents: (query = "") => `?agents=${encodeURIComponent(agentUrls.join(","))}${query === "" ? "" : `&${query}`}`,
    async log(conversation: string, speaker?: string): Promise<Json[]> {
      const asSpeaker = speaker === undefined ? "" : `&speaker=${encodeURIComponent(speaker)}`;
      const path = `${url}/api/v1/conversations/${conversation}/log?limit=1000${asSpeaker}`;
      const response = await fetch(path, { headers: { authorization: `Bearer ${operatorToken}` } });
      return ((await response.json()) as { entries: Json[] }).entries;
    },
    async close() {
      for (const ws of clients) ws.terminate();
      await server.close();
    },
  };
}

/** A fixture that closes with the test, and expects no server errors. */
export async function nemoFixture(...args: Parameters<typeof startNemoFixture>) {
  const fixture = await startNemoFixture(...args);
  onTestFinished(async () => {
    await fixture.close();
    expect(fixture.errors).toEqual([]);
  });
  return fixture;
}

export type Frame = Json & { type: string; content: Json; status?: string; id: string; parent_id: string };

const waitMs = 10_000;

function clientOn(ws: WebSocket) {
  const frames: Frame[] = [];
  let wake = () => {};
  const closed = new Promise<number>((resolve) => {
    ws.on("close", (code) => {
      resolve(code);
      wake();
    });
  });
  ws.on("error", () => {});
  ws.on("message", (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as Frame);
    wake();
  });
  let messages = 0;
  const send = (message: unknown) => ws.send(typeof message === "string" ? message : JSON.stringify(message));
  /** The frames up to the first one that matches. */
  const until = async (isIt: (frame: Frame) => boolean): Promise<Frame[]> => {
    const untilMs = Date.now() + waitMs;
    for (;;) {
      const index = frames.findIndex(isIt);
      if (index !== -1) return frames.splice(0, index + 1);
      const leftMs = untilMs - Date.now();
      if (leftMs <= 0 || ws.readyState === ws.CLOSED) throw new Error(`not among ${JSON.stringify(frames)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const message = (text: string, more: Json = {}) => {
    messages += 1;
    const content = { messages: [{ role: "user", content: [{ type: "text", text }] }] };
    return { type: "user_message", schema_type: "chat_stream", id: `m-${messages}`, content, ...more };
  };
  const isOver = ({ status }: Frame) => status === "complete" || status === "completed" || status === "failed";
  return {
    ws,
    frames,
    closed,
    send,
    until,
    message,
    untilOver: () => until(isOver),
    /** Sends a message and returns the frames of its turn. */
    async ask(text: string, more: Json = {}): Promise<Frame[]> {
      send(message(text, more));
      return until(isOver);
    },
    answer: (text: string, more: Json = {}) => send({ ...message(text), type: "user_interaction_message", ...more }),
  };
}

export function textIn(frames: readonly Frame[]): string {
  return frames
    .filter(({ type }) => type === "system_response_message")
    .map(({ content }) => (content.text as string | null) ?? "")
    .join("");
}
