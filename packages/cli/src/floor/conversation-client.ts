import type { Feature, FloorEvent, Identification } from "@plenary/protocol";
import type { Draft as FloorDraft, KnownAgent as Known } from "@plenary/server";
import type { TranscriptEntry as Entry, SeatKind } from "@plenary/transcript";
import type { FoundAgent } from "../discover/discover.ts";
import { FloorError } from "../errors.ts";
import type { FloorClient } from "./client.ts";

/** The floor's HTTP responses and stream frames, as far as the CLI reads them. */

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
  /** Absent in responses of older floors. */
  options?: { convener?: string };
  /** Speakers waiting for the floor. */
  floorRequested: readonly string[];
  /** Agents with a pending reply. */
  awaited?: readonly string[];
  /** For the owner: agents that respond from a new address. */
  moves?: readonly MoveView[];
};

/** An agent whose new address waits for the owner's decision. */
export type MoveView = { speakerUri: string; serviceUrl: string; name?: string; boundTo?: string };

/** A part of a streaming utterance (D30); the finished utterance has the same dialogEventId. */
export type Draft = Omit<FloorDraft, "conversation" | "offset">;

export type StreamFrame = { entry: Entry; seq: number } | { draft: Draft };

export type KnownAgent = Pick<Known, "serviceUrl" | "manifest" | "isHosted">;

export type { Entry, SeatKind };

export type OutgoingUtterance = {
  /** The dialog event's id: the floor accepts it once, however often it is sent. */
  id: string;
  at: string;
  text: string;
  to?: string;
  isWhisper?: boolean;
  features?: Readonly<Record<string, Feature>>;
};

/** Requests about one conversation, as one speaker. */
export type ConversationClient = ReturnType<typeof conversationClient>;

export function conversationClient(client: FloorClient, id: string) {
  const path = `/api/v1/conversations/${encodeURIComponent(id)}`;
  const speaker = `speaker=${encodeURIComponent(client.speakerUri)}`;
  const log = async (after: number, limit: number, view = "&view=brief") =>
    (await client.json<{ entries: Entry[] }>(`${path}/log?after=${after}&limit=${limit}${view}&${speaker}`)).entries;
  const send = async (...events: readonly FloorEvent[]) => {
    const { speakerUri } = client;
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events };
    // Events of an accepted envelope can be refused.
    const { refused } = await client.json<{ refused?: { problem: string }[] }>("/openfloor", {
      method: "POST",
      body: { openFloor },
    });
    const [refusal] = refused ?? [];
    if (refusal !== undefined) throw new FloorError(refusal.problem, { status: 422 });
  };
  return {
    id,
    me: client.speakerUri,
    send,
    /** Sends a whole envelope unchanged and returns the response body. */
    post: (envelope: object) => client.text("/openfloor", { method: "POST", body: envelope }),
    say: (saying: OutgoingUtterance) => send(utteranceOf(client.speakerUri, saying)),
    /** Invite and task in one envelope (spec 1.18). */
    inviteFor: (to: { serviceUrl: string; speakerUri: string }, saying: OutgoingUtterance) =>
      send({ eventType: "invite", to }, utteranceOf(client.speakerUri, saying)),
    /** Recommended agents, best first. */
    discover: (text: string) =>
      client.json<{ found: readonly FoundAgent[] }>("/api/v1/discover", { method: "POST", body: { text } }),
    /** Returns the conversation after the command. */
    command: (verb: string, fields: object = {}) =>
      client.json<ConversationView>(`${path}/${verb}`, { method: "POST", body: fields }),
    view: () => client.json<ConversationView>(`${path}?${speaker}`),
    log,
    /** The whole entry, as this speaker sees it. */
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
