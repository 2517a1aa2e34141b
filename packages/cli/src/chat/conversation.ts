import type { Feature, FloorEvent } from "@plenary/protocol";
import type { Caller } from "../caller.ts";
import type { Foundling } from "../discover/report.ts";
import { FloorProblem } from "../floor-problem.ts";
import type { ConversationView, Entry, KnownAgent, PartialRefusal } from "./wire.ts";

export type Saying = {
  /** Of the dialog event: by it the floor takes it once, however often it comes. */
  id: string;
  at: string;
  text: string;
  to?: string;
  isWhisper?: boolean;
  features?: Readonly<Record<string, Feature>>;
};

/** Whom discovery agents recommend, the best first. */
type Discovered = { found: readonly Foundling[] };

/** What one person can do with one conversation, over the floor's public interface. */
export type Conversation = ReturnType<typeof conversationAt>;

export function conversationAt(caller: Caller, id: string) {
  const path = `/api/v1/conversations/${encodeURIComponent(id)}`;
  const speaker = `speaker=${encodeURIComponent(caller.speakerUri)}`;
  const log = async (after: number, limit: number, view = "&view=brief") =>
    (await caller.json<{ entries: Entry[] }>(`${path}/log?after=${after}&limit=${limit}${view}&${speaker}`)).entries;
  const send = async (...events: readonly FloorEvent[]) => {
    const { speakerUri } = caller;
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events };
    const answer = await caller.json<{ refused?: PartialRefusal[] }>("/openfloor", {
      method: "POST",
      body: { openFloor },
    });
    const [refusal] = answer.refused ?? [];
    if (refusal !== undefined) throw new FloorProblem(refusal.problem, { status: 422 });
  };
  return {
    id,
    me: caller.speakerUri,
    send,
    /** A whole envelope, as it stands; gives what the floor answers. */
    post: (envelope: object) => caller.text("/openfloor", { method: "POST", body: envelope }),
    say: (saying: Saying) => send(utteranceOf(caller.speakerUri, saying)),
    /** In one envelope, so that it arrives with its task (spec 1.18). */
    inviteFor: (to: { serviceUrl: string; speakerUri: string }, saying: Saying) =>
      send({ eventType: "invite", to }, utteranceOf(caller.speakerUri, saying)),
    discover: (text: string) => caller.json<Discovered>("/api/v1/discover", { method: "POST", body: { text } }),
    /** Gives what has become of it. */
    command: (verb: string, fields: object = {}) =>
      caller.json<ConversationView>(`${path}/${verb}`, { method: "POST", body: fields }),
    view: () => caller.json<ConversationView>(`${path}?${speaker}`),
    log,
    /** The whole entry, as the log has it for this reader. */
    entry: async (seq: number): Promise<Entry | undefined> => (await log(seq - 1, 1, ""))[0],
    export: (format: string) => caller.text(`${path}/export?format=${format}&${speaker}`),
    knownAgents: async () => (await caller.json<{ agents: KnownAgent[] }>("/api/v1/agents")).agents,
  };
}

function utteranceOf(speakerUri: string, { id, text, at, to, isWhisper, features }: Saying): FloorEvent {
  const spoken: Feature = { mimeType: "text/plain", tokens: [{ value: text }] };
  return {
    eventType: "utterance",
    ...(to !== undefined && { to: { speakerUri: to, ...(isWhisper && { private: true }) } }),
    parameters: { dialogEvent: { id, speakerUri, span: { startTime: at }, features: { text: spoken, ...features } } },
  };
}
