// A real floor in the process of the test, on a free port, and a client for it that holds the operator's token.
import { createHostClient, type HostClient } from "@plenary/client/host";
import {
  createFloorServer,
  createMemoryStore,
  type Dialler,
  type FloorServerOptions,
  newCredentialToken,
  relayUrlOf,
  type Scope,
} from "@plenary/server";
import { createCollectingLogger } from "@plenary/server/testing/collecting-logger";
import { ann, type Consequence, envelopeOf, type Json, utterance, type WireEvent } from "./envelopes.ts";
import { closeAgents, takeEmptyTexts } from "./http-agent.ts";
import { createLoopbackDialler } from "./loopback-dialler.ts";
import { waitFor } from "./wait-for.ts";

// Plain JavaScript: processes of tests load it too.
const { watchFloor } = (await import(new URL("contract/recorder.mjs", import.meta.url).href)) as {
  /** Compares the answers of the floor on this port with the contract. */
  watchFloor: (port: number) => Promise<void>;
};

export const token = "operators-token";

export type Entry = {
  seq: number;
  kind: string;
  because: string;
  turn: string;
  sender?: string;
  event?: WireEvent;
} & Record<string, unknown>;

export type Answered = {
  status: number;
  headers: Headers;
  text: string;
  /** Empty when the response is not JSON. */
  body: {
    openFloor?: { events: unknown[]; sender: unknown; schema: { version: string } };
    refused?: { index?: number; because: string; problem: string }[];
    consequences?: Consequence[];
  } & Json;
};

type HeaderFields = Record<string, string>;
type SendOptions = { as?: string; wait?: number; headers?: HeaderFields };
type Ports = Parameters<typeof createFloorServer>[0];
export type TestFloorOptions = FloorServerOptions &
  Partial<Ports> & {
    port?: number;
    host?: string;
    /** "default" keeps the product's limits: agents that are unreachable for a while are not given up. */
    retries?: "quick" | "default";
  };

/** No agent can be reached. */
export const noDialler: Dialler = {
  dial: async ({ url }) => {
    throw Object.assign(new Error(`${url} was dialled`), { code: "refused", isSent: false, retryable: false });
  },
};

/** Few retries: no test has to wait for an agent that cannot be reached. */
const quick = { inviteRetryMs: 300, retryMs: 300, retryBaseMs: 20, retryCapMs: 40, stoppedAnswerMs: 100 };

/** Limits for a test that waits until an agent has missed its deadline. */
export const hasty = { silenceMs: 800, inviteAnswerMs: 800, answerMs: 2_000, manifestAnswerMs: 800 };

export type TestFloor = Awaited<ReturnType<typeof startTestFloor>>;

/** Options of the server and its ports in one object. By default the floor has a store in memory and reaches this machine only. */
export async function startTestFloor(given: TestFloorOptions = {}) {
  const {
    store = createMemoryStore(),
    dialler: givenDialler,
    credentials,
    tokens,
    identityDial,
    clock,
    ids,
    logger: givenLogger,
    ...more
  } = given;
  const { outbounds, hostedAgents, discovery, page, port: wantedPort = 0, host, ...rest } = more;
  const { retries = "quick", deliveryLimits, ...options } = rest;
  const { logger, lines: logged, errors } = createCollectingLogger();
  const dialler = createLoopbackDialler();
  const server = await createFloorServer(
    {
      store,
      dialler: givenDialler ?? dialler,
      logger: givenLogger ?? logger,
      ...(credentials && { credentials }),
      ...(tokens && { tokens }),
      ...(identityDial && { identityDial }),
      ...(clock && { clock }),
      ...(ids && { ids }),
      ...(outbounds && { outbounds }),
      ...(hostedAgents && { hostedAgents }),
      ...(discovery && { discovery }),
      ...(page && { page }),
    },
    {
      token,
      drainMs: 0,
      listen: { port: wantedPort, ...(host !== undefined && { host }) },
      ...options,
      deliveryLimits: { ...(retries === "quick" && quick), ...deliveryLimits },
    },
  );
  const { url: listensAt, port = 0, healthUrl } = server;
  // 0.0.0.0 is no name of the floor: requests to it are refused.
  const url = host === undefined ? listensAt : `http://127.0.0.1:${port}`;
  await watchFloor(port);
  const client = createFloorClient(url, server.token);
  return {
    ...client,
    url,
    port,
    healthUrl,
    token: server.token,
    server,
    store,
    errors,
    logged,
    dialler,
    close: async () => {
      await closeAgents();
      await server.close();
      const empty = takeEmptyTexts();
      if (empty.length > 0) throw new Error(empty.join("\n"));
    },
  };
}

export type FloorClient = ReturnType<typeof createFloorClient>;

/** The requests of tests to any floor, in this process or another, over its HTTP interface. */
export function createFloorClient(url: string, bearer: string) {
  const host = createHostClient({ url, token: bearer });
  const call = async (method: string, path: string, body?: unknown, headers: HeaderFields = {}): Promise<Answered> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /^application\/(?:[\w.-]+\+)?json\b/u.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
  return {
    call,
    get: (path: string, headers?: HeaderFields) => call("GET", path, undefined, headers),
    post: (path: string, body: unknown, headers?: HeaderFields) => call("POST", path, body, headers),
    must: successOf(call),
    host,
    ...conversationsOf(host),
    ...envelopesOf(call),
    socketUrl: (query: Query) => `${url.replace("http", "ws")}/openfloor/ws?${queryOf(query)}`,
    eventsUrl: (query: Query) => `${url}/openfloor/events?${queryOf(query)}`,
    relayUrl: (speakerUri: string) => relayUrlOf(`${url}/openfloor`, speakerUri),
  };
}

type Call = (method: string, path: string, body?: unknown, headers?: HeaderFields) => Promise<Answered>;

/** The body of a successful response; throws otherwise. */
function successOf(call: Call) {
  return async (...request: Parameters<Call>) => {
    const { status, body, text } = await call(...request);
    if (status >= 300) throw new Error(`${request[0]} ${request[1]}: ${status} ${text}`);
    // biome-ignore lint/suspicious/noExplicitAny: tests read documents as they know them to be.
    return body as any;
  };
}

/** Conversations, their state and their log. */
function conversationsOf({ call }: HostClient) {
  const log = async (id: string, speaker?: string) => {
    const query = { limit: 1_000, ...(speaker !== undefined && { speaker }) };
    const { entries } = await call("GET /api/v1/conversations/:id/log", { params: { id }, query });
    // Tests know the kind of the entry that they look for.
    return entries as readonly unknown[] as Entry[];
  };
  const seat = (id: string, speakerUri: string, kind: "person" | "agent" = "person", name?: string) =>
    call("POST /api/v1/conversations/:id/seat", { params: { id }, body: { ...named(speakerUri, name), kind } });
  return {
    log,
    seat,
    state: (id: string, at?: number) =>
      call("GET /api/v1/conversations/:id", { params: { id }, query: at === undefined ? {} : { at } }),
    /** Reads the log until it satisfies the test. */
    until: async (conversation: string, isThere: (entries: Entry[]) => boolean): Promise<Entry[]> => {
      let entries: Entry[] = [];
      const look = async () => {
        entries = await log(conversation);
        return isThere(entries) && entries;
      };
      const found = () => entries.map(({ kind, because }) => `${kind} ${because}`).join(", ");
      return waitFor(look, () => `an entry; the log has: ${found()}`);
    },
    /** The first of the people owns the conversation. */
    openConversation: async (id: string, people: readonly string[], agents: readonly string[] = []) => {
      const [owner = ann, ...guests] = people;
      await call("POST /api/v1/conversations", { body: { id, owner: named(owner) } });
      for (const speakerUri of guests) await seat(id, speakerUri, "person");
      for (const speakerUri of agents) await seat(id, speakerUri, "agent");
    },
  };
}

function envelopesOf(call: Call) {
  /** Waits for the answers of agents for `wait` seconds at most. */
  const send = (conversation: string, events: readonly object[], options: SendOptions = {}) => {
    const { as = ann, wait = 10, headers = {} } = options;
    const prefer = wait > 0 ? { prefer: `wait=${wait}` } : {};
    return call("POST", "/openfloor", envelopeOf(conversation, as, events), { ...prefer, ...headers });
  };
  return {
    send,
    say: (conversation: string, text: string, { to, ...more }: SendOptions & { to?: object } = {}) =>
      send(conversation, [utterance(more.as ?? ann, text, { to })], more),
    /** Sends an utterance without waiting for answers. Throws when it is refused. */
    speak: async (conversation: string, as: string, text: string, to?: Json) => {
      const answered = await send(conversation, [utterance(as, text, { to })], { as, wait: 0 });
      if (answered.status !== 200 || answered.body.refused !== undefined) throw new Error(answered.text);
    },
    invite: (conversation: string, agent: { url: string }, more: SendOptions = {}) =>
      send(conversation, [{ eventType: "invite", to: { serviceUrl: agent.url } }], more),
  };
}

type Query = Record<string, string | undefined>;

function queryOf(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value);
  return given.toString();
}

/** A person or an agent in the form of the host interface. */
export function named(speakerUri: string, conversationalName?: string) {
  return { identification: { speakerUri, ...(conversationalName !== undefined && { conversationalName }) } };
}

type Credentials = NonNullable<Ports["credentials"]>;

/** Adds a key as `plenary keys add` makes it. A person may open conversations with it. */
export async function addKey(
  credentials: Pick<Credentials, "add">,
  speakerUri: string,
  { isPerson = true, scopes = isPerson ? ["host"] : [] }: { isPerson?: boolean; scopes?: readonly Scope[] } = {},
): Promise<string> {
  const { token: key, ...made } = newCredentialToken("key");
  const about = { kind: "key" as const, speakers: [speakerUri], scopes: [...scopes], isPerson };
  await credentials.add({ ...made, ...about, createdAt: new Date().toISOString() });
  return key;
}
