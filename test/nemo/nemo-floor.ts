// A real floor with its guarded defaults on a free port, and NeMo clients that come to it.
import { once } from "node:events";
import {
  type CredentialStore,
  createFloorServer,
  createMemoryStore,
  type FloorServerOptions,
  type FloorStore,
  type TokenVerifier,
} from "@plenary/server";
import { WebSocket } from "ws";
import { createLoopbackDialler } from "../floor/loopback-dialler.ts";
import { createCollection } from "../streams/clients.ts";
import { type Actor, type Cue, utterance } from "./cast.ts";
import type { Json } from "./frame-checks.ts";
import { type ClientOptions, openClient, type StockClient } from "./stock-client.ts";

export const token = "operators-token";

type Entry = Json & { seq: number; kind: string; sender?: string; turn?: string; trace?: string; event?: Json };

/** Nobody is waited for who cannot be reached. */
const quick = { inviteRetryMs: 300, retryMs: 300, retryBaseMs: 20, retryCapMs: 40, stoppedAnswerMs: 100 };

type Parts = {
  store?: FloorStore;
  credentials?: CredentialStore;
  tokens?: TokenVerifier;
  clock?: { now(): number; at(atMs: number, ring: () => void): () => void };
  host?: string;
  port?: number;
};

export type NemoFloor = Awaited<ReturnType<typeof startNemoFloor>>;

type Visit = Omit<ClientOptions, "url"> & { agents?: readonly Pick<Actor, "url">[] };

export async function startNemoFloor({ deliveryLimits, ...options }: FloorServerOptions = {}, parts: Parts = {}) {
  const { store = createMemoryStore(), host = "127.0.0.1", port = 0, ...ports } = parts;
  const errors: unknown[] = [];
  const clients: StockClient[] = [];
  const server = createFloorServer(
    { store, dialler: createLoopbackDialler(), ...ports },
    {
      ...{ token, drainMs: 0, onError: (error: unknown) => errors.push(error), ...options },
      deliveryLimits: { ...quick, ...deliveryLimits },
    },
  );
  const bound = await server.listen(port, host);
  const url = `http://127.0.0.1:${bound.port}`;
  const call = async (path: string, body?: Json, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const log = async (conversation: string, speaker?: string): Promise<Entry[]> => {
    const query = new URLSearchParams({ limit: "1000", ...(speaker !== undefined && { speaker }) });
    const { text } = await call(`/api/v1/conversations/${conversation}/log?${query}`);
    return JSON.parse(text).entries;
  };
  return {
    ...{ url, port: bound.port, errors, call, log },
    /** A client at this floor. `agents`: who is invited when its conversation is new. */
    async visit({ agents, query, ...more }: Visit = {}): Promise<StockClient> {
      const invited = agents && { agents: agents.map((agent) => agent.url).join(",") };
      const client = await openClient({ url, ...more, query: { ...invited, ...query } });
      clients.push(client);
      return client;
    },
    /** An agent speaks without being asked. Settles when its words are in the log. */
    async unasked(conversation: string, { speakerUri }: Pick<Actor, "speakerUri">, text: string): Promise<void> {
      const openFloor = {
        ...{ schema: { version: "1.1.0" }, conversation: { id: conversation }, sender: { speakerUri } },
        events: [utterance(speakerUri, text)],
      };
      const said = await call("/openfloor", { openFloor });
      if (said.status !== 200) throw new Error(said.text);
    },
    /** What another client of that person sees, so that a test knows when the floor has taken a piece of a draft. */
    async onlooker({ conversation, from }: Pick<Cue, "conversation" | "from">) {
      const query = new URLSearchParams({ conversation, speaker: from });
      const ws = new WebSocket(`${url.replace("http", "ws")}/openfloor/ws?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const frames = createCollection<string>();
      ws.on("message", (bytes) => frames.add(String(bytes)));
      await once(ws, "open");
      return {
        /** Everything that came, in one text. */
        all: () => frames.items.join("\n"),
        saw: (words: string) => frames.until((all) => all.some((frame) => frame.includes(words)), words),
        close: () => ws.terminate(),
      };
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await server.close();
    },
    /** As it is before its process ends: clients are cut, nothing else is told. */
    shut: () => server.close(),
  };
}

/** Whoever wrote it, the words alone: a single agent may be named before them or not. */
export function wordsOf(text: string, name: string): string {
  return text.replaceAll(`**${name}:**`, "").trim();
}
