import {
  type CredentialStore,
  createFloorServer,
  createMemoryStore,
  type Dialler,
  type FloorServerOptions,
  type FloorStore,
  type HostedAgents,
} from "@plenary/server";
import { closeAgents, takeEmptyTexts, utterance } from "./agents.ts";
import { createLoopbackDialler } from "./loopback-dialler.ts";

export const ann = "tag:people.example,2026:ann";
export const token = "test-token";

type Entry = { seq: number; kind: string; because: string; turn: string; sender?: string; event?: WireEvent } & Record<
  string,
  unknown
>;
type WireEvent = {
  eventType: string;
  to?: Record<string, unknown>;
  reason?: string;
  parameters?: Record<string, unknown>;
};
type Answered = {
  status: number;
  headers: Headers;
  body: {
    openFloor?: { events: unknown[]; sender: unknown; schema: { version: string } };
    refused?: { index?: number; because: string; problem: string }[];
    consequences?: { openFloor: { sender: { speakerUri: string }; events: WireEvent[] }; seq: number }[];
  } & Record<string, unknown>;
};

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Nobody is waited for who cannot be reached. */
const quick = { inviteRetryMs: 300, retryMs: 300, retryBaseMs: 20, retryCapMs: 40, stoppedAnswerMs: 100 };

/** Limits for a test that waits until an agent has been too slow. */
export const hasty = { silenceMs: 800, inviteAnswerMs: 800, answerMs: 2_000, manifestAnswerMs: 800 };

/** How long a test looks for what is to happen, on a machine that may be busy. */
export const patience = { timeout: 10_000, interval: 10 };

/** Milliseconds that this process has computed: steadier than the clock where others compute, too. */
export function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

type WorldOptions = FloorServerOptions & {
  store?: FloorStore;
  credentials?: CredentialStore;
  hostedAgents?: HostedAgents;
  /** Instead of one that reaches this machine by node:http. */
  way?: Dialler;
};

/** A real floor on a port of its own, and the few words a person needs to talk to it. */
export async function startWorld(options: WorldOptions = {}) {
  const { store = createMemoryStore(), credentials, hostedAgents, deliveryLimits, way, ...rest } = options;
  const errors: unknown[] = [];
  const dialler = createLoopbackDialler();
  const server = createFloorServer(
    { store, dialler: way ?? dialler, ...(credentials && { credentials }), ...(hostedAgents && { hostedAgents }) },
    {
      token,
      drainMs: 0,
      deliveryLimits: { ...quick, ...deliveryLimits },
      onError: (error) => errors.push(error),
      ...rest,
    },
  );
  const { url, port } = await server.listen(0);
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
  };
  const send = (conversation: string, events: object[], { as = ann, wait = 10, headers = {} } = {}) => {
    const openFloor = {
      schema: { version: "1.1.0" },
      conversation: { id: conversation },
      sender: { speakerUri: as },
      events,
    };
    return call("POST", "/openfloor", { openFloor }, { ...(wait > 0 && { prefer: `wait=${wait}` }), ...headers });
  };
  const log = async (conversation: string, speaker?: string): Promise<Entry[]> => {
    const query = speaker === undefined ? "" : `&speaker=${encodeURIComponent(speaker)}`;
    const { body } = await call("GET", `/api/v1/conversations/${conversation}/log?limit=1000${query}`);
    return body.entries as Entry[];
  };
  return {
    ...{ url, port, server, store, errors, dialler, call, send, log },
    say: (conversation: string, text: string, more: { as?: string; wait?: number } = {}) =>
      send(conversation, [utterance(more.as ?? ann, text)], more),
    invite: (conversation: string, agent: { url: string }, more: { as?: string; wait?: number } = {}) =>
      send(conversation, [{ eventType: "invite", to: { serviceUrl: agent.url } }], more),
    state: async (conversation: string, at?: number) =>
      (await call("GET", `/api/v1/conversations/${conversation}${at === undefined ? "" : `?at=${at}`}`)).body,
    /** Reads the log until it has what is looked for; fails when patience ends. */
    until: async (conversation: string, isThere: (entries: Entry[]) => boolean) => {
      const deadline = Date.now() + patience.timeout;
      for (;;) {
        const entries = await log(conversation);
        if (isThere(entries)) return entries;
        if (Date.now() > deadline)
          throw new Error(`not in the log: ${entries.map(({ kind, because }) => `${kind} ${because}`).join(", ")}`);
        await new Promise((resolve) => setTimeout(resolve, patience.interval));
      }
    },
    close: async () => {
      await closeAgents();
      await server.close();
      const empty = takeEmptyTexts();
      if (empty.length > 0) throw new Error(empty.join("\n"));
    },
  };
}

/** What was said to the sender in the answer to its envelope: speaker and words. */
export function said(answered: Answered): [string, string][] {
  return (answered.body.consequences ?? []).flatMap(({ openFloor }) =>
    openFloor.events.flatMap((event): [string, string][] => {
      const text = textOf(event);
      return text === undefined ? [] : [[openFloor.sender.speakerUri, text]];
    }),
  );
}

export function textOf(event: WireEvent | undefined): string | undefined {
  const dialogEvent = event?.parameters?.dialogEvent as
    | { features?: { text?: { tokens: { value: string }[] } } }
    | undefined;
  return dialogEvent?.features?.text?.tokens.map(({ value }) => value).join("");
}

export function eventTypes(answered: Answered): string[] {
  return (answered.body.consequences ?? []).flatMap(({ openFloor }) =>
    openFloor.events.map(({ eventType }) => eventType),
  );
}
