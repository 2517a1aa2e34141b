// A real floor on a free port, and the envelopes people and agents send to it, written by hand.
import {
  createFloorServer,
  createMemoryStore,
  type Dialler,
  type FloorServerOptions,
  type FloorStore,
  relayUrlOf,
} from "@plenary/server";

export const token = "operators-token";
export const ann = "tag:floor.example,2026:ann";
export const bob = "tag:floor.example,2026:bob";
export const cid = "tag:floor.example,2026:cid";
export const bot = "tag:bot.example,2026:bot";

export type Json = Record<string, unknown>;

export type TestFloor = Awaited<ReturnType<typeof startFloor>>;

/** Nothing here leaves the process: whoever is not connected is not there. */
const nowhere: Dialler = {
  dial: async ({ url }) => {
    throw Object.assign(new Error(`${url} was dialled`), { code: "refused", isSent: false, retryable: false });
  },
};

type Ports = Omit<Parameters<typeof createFloorServer>[0], "store" | "dialler">;

export async function startFloor(
  options: FloorServerOptions = {},
  store = createMemoryStore(),
  ports: Ports = {},
  wanted = 0,
) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const server = createFloorServer({ ...ports, store, dialler: nowhere }, { token, onError, drainMs: 0, ...options });
  const { url, port } = await server.listen(wanted);
  const authorization = `Bearer ${token}`;
  const call = async (path: string, body?: Json, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization, ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: JSON.parse(text) as Json };
  };
  const openConversation = async (id: string, people: readonly string[], agents: readonly string[] = []) => {
    const [owner, ...guests] = people;
    const opened = await call("/api/v1/conversations", { id, owner: { identification: { speakerUri: owner } } });
    if (opened.status !== 201) throw new Error(JSON.stringify(opened.json));
    for (const speakerUri of guests) await seat(id, speakerUri, "person");
    for (const speakerUri of agents) await seat(id, speakerUri, "agent");
  };
  const seat = async (id: string, speakerUri: string, kind: "person" | "agent") => {
    const seated = await call(`/api/v1/conversations/${id}/seat`, { identification: { speakerUri }, kind });
    if (seated.status !== 200) throw new Error(JSON.stringify(seated.json));
  };
  const say = async (conversation: string, speakerUri: string, text: string, to?: Json) => {
    const said = await call(
      "/openfloor",
      envelopeOf(conversation, speakerUri, [utteranceOf(speakerUri, text, { to })]),
    );
    if (said.status !== 200 || said.json.refused !== undefined) throw new Error(JSON.stringify(said.json));
  };
  return {
    ...{ url, port, server, errors, call, openConversation, seat, say },
    socketUrl: (query: Record<string, string | undefined>) =>
      `${url.replace("http", "ws")}/openfloor/ws?${queryOf(query)}`,
    eventsUrl: (query: Record<string, string | undefined>) => `${url}/openfloor/events?${queryOf(query)}`,
    relayUrl: (speakerUri: string) => relayUrlOf(`${url}/openfloor`, speakerUri),
    close: () => server.close(),
  };
}

function queryOf(query: Record<string, string | undefined>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value);
  return given.toString();
}

export function envelopeOf(conversation: string, speakerUri: string, events: readonly Json[]): Json {
  return {
    openFloor: { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender: { speakerUri }, events },
  };
}

let minted = 0;

export function utteranceOf(
  speakerUri: string,
  text: string,
  { to, id }: { to?: Json | undefined; id?: string } = {},
): Json {
  minted += 1;
  return {
    eventType: "utterance",
    ...(to && { to }),
    parameters: {
      dialogEvent: {
        id: id ?? `utterance-${minted}`,
        speakerUri,
        span: { startTime: "2026-01-01T00:00:00Z" },
        features: { text: { mimeType: "text/plain", tokens: [{ value: text }] } },
      },
    },
  };
}

/** The words of every utterance in a document, in order. */
export function wordsIn(document: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(document, (key, value: unknown) => {
    if (key === "tokens" && Array.isArray(value)) found.push(value.map((token: Json) => String(token.value)).join(""));
    return value;
  });
  return found;
}

/** A store whose answers take their time, as those of a database do: what it says may be old when it arrives. */
export function slowStore(random: (below: number) => number): FloorStore {
  const store = createMemoryStore();
  const later = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    for (let rounds = random(4); rounds > 0; rounds -= 1) await new Promise<void>((resolve) => setImmediate(resolve));
    return value;
  };
  return {
    ...store,
    load: (id) => later(store.load(id)),
    entries: (id, range) => later(store.entries(id, range)),
    floorAt: (id, seq) => later(store.floorAt(id, seq)),
    list: (query) => later(store.list(query)),
  };
}

/** Random, but the same in every run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
