import type { DraftStep, Feature, FloorEvent, Identification } from "@plenary/protocol";
import type { KnownAgent as Known } from "@plenary/server";
import type { TranscriptEntry as Entry, SeatKind } from "@plenary/transcript";
import type { FoundAgent } from "../discover/discover.ts";
import { FloorError } from "../errors.ts";
import type { FloorClient } from "./client.ts";

/** What the floor tells a terminal, as far as the terminal reads it. */

export type ConversantView = {
  identification: Identification;
  kind: SeatKind;
  state: "invited" | "joined";
  hasFloor: boolean;
  presence?: "here" | "away";
};

export type ConversationView = {
  id: string;
  seq: number;
  title?: string;
  isClosed: boolean;
  isPaused: boolean;
  conversants: readonly ConversantView[];
  assignedFloorRoles: Readonly<Record<string, readonly string[]>>;
  owner?: string;
  /** Absent in what earlier floors tell. */
  options?: { convener?: string };
  /** Who asked for the floor and waits. */
  floorRequested: readonly string[];
  /** Who was sent something and has not answered it yet. */
  awaited?: readonly string[];
  /** For the owner: agents that answer from another address than before. */
  moves?: readonly MoveView[];
};

/** An agent that waits until the owner allows or refuses its new address. */
export type MoveView = { speakerUri: string; serviceUrl: string; name?: string; boundTo?: string };

/** What an agent is composing; the finished utterance has the same dialogEventId. */
export type Draft = {
  speakerUri: string;
  dialogEventId: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  delta?: string;
  /** What it does on the way; the same id again replaces a step. */
  step?: DraftStep;
  end?: "final" | "dropped";
};

export type StreamFrame = { entry: Entry; seq: number } | { draft: Draft };

export type KnownAgent = Pick<Known, "serviceUrl" | "manifest" | "isHosted">;

/** An event of an accepted envelope that was not taken. */
export type PartialRefusal = { problem: string };

export type { Entry, SeatKind };

export type OutgoingUtterance = {
  /** Of the dialog event: by it the floor takes it once, however often it comes. */
  id: string;
  at: string;
  text: string;
  to?: string;
  isWhisper?: boolean;
  features?: Readonly<Record<string, Feature>>;
};

/** Whom discovery agents recommend, the best first. */
type DiscoverResponse = { found: readonly FoundAgent[] };

/** What one person can do with one conversation, over the floor's public interface. */
export type ConversationClient = ReturnType<typeof conversationClient>;

export function conversationClient(client: FloorClient, id: string) {
  const path = `/api/v1/conversations/${encodeURIComponent(id)}`;
  const speaker = `speaker=${encodeURIComponent(client.speakerUri)}`;
  const log = async (after: number, limit: number, view = "&view=brief") =>
    (await client.json<{ entries: Entry[] }>(`${path}/log?after=${after}&limit=${limit}${view}&${speaker}`)).entries;
  const send = async (...events: readonly FloorEvent[]) => {
    const { speakerUri } = client;
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events };
    const answer = await client.json<{ refused?: PartialRefusal[] }>("/openfloor", {
      method: "POST",
      body: { openFloor },
    });
    const [refusal] = answer.refused ?? [];
    if (refusal !== undefined) throw new FloorError(refusal.problem, { status: 422 });
  };
  return {
    id,
    me: client.speakerUri,
    send,
    /** A whole envelope, as it stands; gives what the floor answers. */
    post: (envelope: object) => client.text("/openfloor", { method: "POST", body: envelope }),
    say: (saying: OutgoingUtterance) => send(utteranceOf(client.speakerUri, saying)),
    /** In one envelope, so that it arrives with its task (spec 1.18). */
    inviteFor: (to: { serviceUrl: string; speakerUri: string }, saying: OutgoingUtterance) =>
      send({ eventType: "invite", to }, utteranceOf(client.speakerUri, saying)),
    discover: (text: string) => client.json<DiscoverResponse>("/api/v1/discover", { method: "POST", body: { text } }),
    /** Gives what has become of it. */
    command: (verb: string, fields: object = {}) =>
      client.json<ConversationView>(`${path}/${verb}`, { method: "POST", body: fields }),
    view: () => client.json<ConversationView>(`${path}?${speaker}`),
    log,
    /** The whole entry, as the log has it for this reader. */
    entry: async (seq: number): Promise<Entry | undefined> => (await log(seq - 1, 1, ""))[0],
    export: (format: string) => client.text(`${path}/export?format=${format}&${speaker}`),
    knownAgents: async () => (await client.json<{ agents: KnownAgent[] }>("/api/v1/agents")).agents,
  };
}

function utteranceOf(speakerUri: string, { id, text, at, to, isWhisper, features }: OutgoingUtterance): FloorEvent {
  const spoken: Feature = { mimeType: "text/plain", tokens: [{ value: text }] };
  return {
    eventType: "utterance",
    ...(to !== undefined && { to: { speakerUri: to, ...(isWhisper && { private: true }) } }),
    parameters: { dialogEvent: { id, speakerUri, span: { startTime: at }, features: { text: spoken, ...features } } },
  };
}
