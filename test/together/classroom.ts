// A real floor that hosts the ready-made agents, and people who talk there over its own interfaces.
import { once } from "node:events";
import { agentNamed, agentNames } from "@plenary/agents";
import type { Agent } from "@plenary/sdk";
import { createFloorServer, createMemoryStore } from "@plenary/server";
import { WebSocket } from "ws";
import { createCollection } from "../streams/clients.ts";
import { envelopeOf, type Json, utteranceOf } from "../streams/floor.ts";

export const ann = "tag:class.example,2026:ann";
export const bob = "tag:class.example,2026:bob";

const token = "operators-token";
const conversation = "welcome";
const replyMimeType = "application/vnd.plenary.interaction+json";

type WireEvent = { eventType: string; to?: Json; parameters?: { dialogEvent?: { features?: Features } } };
type Features = Record<string, { tokens: { value: unknown }[] }>;
type Entry = { kind: string; because: string; sender?: string; event?: WireEvent };

type Whom = { to: string; whisper?: boolean };

/** Who said it, whether for one alone, and what: `Guide: ...`, `Guide (private): ...`. */
type Line = string;

export type Classroom = Awaited<ReturnType<typeof openClassroom>>;

/** What only some of the ready-made agents look at: how fast the guide speaks, what time it is for the clock. */
type Manner = { spokenMs?: number; now?: () => Date; timeZone?: string };

/** `others` are agents of the test's own, hosted beside the ready-made ones. */
export async function openClassroom(
  others: Record<string, (serviceUrl: string) => Agent> = {},
  manner: Manner = { spokenMs: 50 },
) {
  const nowhere = async (): Promise<never> => {
    throw Object.assign(new Error("nothing is called from here"), { code: "refused", isSent: false, retryable: false });
  };
  const hostedAgents = {
    names: [...agentNames, ...Object.keys(others)],
    create: (name: string, serviceUrl: string) => {
      const options = { serviceUrl, ...manner };
      return others[name]?.(serviceUrl) ?? agentNamed(name, options);
    },
  };
  const errors: unknown[] = [];
  const server = createFloorServer(
    { store: createMemoryStore(), dialler: { dial: nowhere }, hostedAgents },
    { token, drainMs: 0, onError: (error) => errors.push(error) },
  );
  const { url, port } = await server.listen(0);
  const authorization = `Bearer ${token}`;
  const call = async (path: string, body?: Json, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      headers: { authorization, "content-type": "application/json", ...headers },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const speakerOf = (name: string) => `tag:127.0.0.1,2025:${port}:${name.toLowerCase()}`;
  const send = async (as: string, events: readonly Json[]): Promise<Line[]> => {
    const answered = await call("/openfloor", envelopeOf(conversation, as, events), { prefer: "wait=20" });
    const consequences: { openFloor: { sender: { speakerUri: string }; events: WireEvent[] } }[] =
      answered.consequences ?? [];
    return consequences.flatMap(({ openFloor: { sender, events } }) => linesOf(sender.speakerUri, events));
  };
  const toOf = (whom: Whom | undefined) =>
    whom && { speakerUri: speakerOf(whom.to), ...(whom.whisper === true && { private: true }) };
  const log = async (speaker: string): Promise<Entry[]> => {
    const query = new URLSearchParams({ limit: "1000", speaker });
    return (await call(`/api/v1/conversations/${conversation}/log?${query}`)).entries;
  };
  const questions = async (speaker: string): Promise<Json[]> =>
    (await log(speaker)).flatMap(({ event }) => {
      const asked = event?.parameters?.dialogEvent?.features?.interaction;
      return asked === undefined ? [] : asked.tokens.map(({ value }) => value as Json);
    });
  await call("/api/v1/conversations", { id: conversation, owner: { identification: { speakerUri: ann } } });
  return {
    ...{ url, errors, send, speakerOf },
    /** Everything that came of it, once all is quiet, as the speaker may see it. */
    say: (as: string, text: string, whom?: Whom) => send(as, [utteranceOf(as, text, { to: toOf(whom) })]),
    /** Answers the newest question by choosing, as a page does. */
    reply: async (as: string, values: readonly string[], whom: Whom) => {
      const id = (await questions(as)).at(-1)?.id;
      const event = utteranceOf(as, "my choice", { to: toOf(whom) });
      const { dialogEvent } = event.parameters as { dialogEvent: { features: Json } };
      dialogEvent.features.interactionReply = { mimeType: replyMimeType, tokens: [{ value: { id, values } }] };
      return send(as, [event]);
    },
    questions,
    invite: (as: string, name: string) =>
      send(as, [{ eventType: "invite", to: { serviceUrl: `${url}/agents/${name}` } }]),
    seat: (speakerUri: string) =>
      call(`/api/v1/conversations/${conversation}/seat`, { identification: { speakerUri }, kind: "person" }),
    state: () => call(`/api/v1/conversations/${conversation}`),
    log,
    watch: (speaker: string) => watch(`${url.replace("http", "ws")}/openfloor/ws`, speaker),
    close: () => server.close(),
  };
}

/** What one person sees live, drafts too. */
async function watch(socketUrl: string, speaker: string) {
  const query = new URLSearchParams({ speaker, conversation });
  const ws = new WebSocket(`${socketUrl}?${query}`, { headers: { authorization: `Bearer ${token}` } });
  const frames = createCollection<Json>();
  ws.on("message", (text) => frames.add(JSON.parse(String(text))));
  await once(ws, "open");
  const drafts = () => frames.items.flatMap(({ draft }) => (draft === undefined ? [] : [draft as Json]));
  return {
    drafts,
    draftWith: (key: string) => frames.until(() => drafts().some((draft) => key in draft), `a draft with ${key}`),
    close: async () => {
      ws.close();
      await once(ws, "close");
    },
  };
}

function linesOf(sender: string, events: readonly WireEvent[]): Line[] {
  const name = sender.split(":").at(-1) ?? "";
  return events.flatMap(({ eventType, to, parameters }) => {
    if (eventType !== "utterance") return [];
    const text = parameters?.dialogEvent?.features?.text?.tokens.map(({ value }) => value).join("");
    return [`${name}${to?.private === true ? " (private)" : ""}: ${text}`];
  });
}
