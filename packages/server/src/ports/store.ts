import type { DeliverEffect, Entry, Floor } from "@plenary/floor";
import type { DialogEvent } from "@plenary/protocol";
import type { CatalogueStore } from "@plenary/sdk";
import type { WebhookStore } from "./webhook-store.ts";

/** One utterance that took effect or is parked: the same id and content have no second effect (D29). */
export type DedupeKey = { sender: string; dialogEventId: string; hash: string };

/** `since`: when it was set. It limits the wait to `at - since`, even when the clock is set back. */
export type Timer = { id: string; at: string; since: string };

/** What one decision changes. A store writes all of it or nothing. */
export type Change = {
  /** The fold of all entries, including these. */
  floor: Floor;
  entries: readonly Entry[];
  deliveries: readonly DeliverEffect[];
  timers: readonly Timer[];
  dedupe: readonly DedupeKey[];
  /** Deliveries that ended with this decision. */
  settled: readonly string[];
  /** Fired timers that this decision processed. */
  rung: readonly string[];
  /** Deliveries that failed; the operator can inspect and redeliver them. */
  dead: readonly { delivery: string; failure: string; detail: string; at: string }[];
  /** The request behind the decision, if it has an idempotency key: a repetition has no second effect. */
  request?: RequestKey & { hash: string; at: string };
};

/** An idempotency key, unique per caller. */
export type RequestKey = { caller: string; key: string };

/** The hash of a request with an idempotency key, and its range of entries in the log. */
export type RequestRecord = { conversationId: string; hash: string; first: number; last: number };

/** A delivery that failed for good. */
export type DeadLetter = {
  conversationId: string;
  effect: DeliverEffect;
  failure: string;
  detail: string;
  at: string;
};

export type DeadLetterKey = { conversationId: string; delivery: string };

export type ConversationSummary = {
  id: string;
  seq: number;
  startedAt: string;
  updatedAt: string;
  isClosed: boolean;
  /** As the speaker knows it: a conversant that left sees the title of that time. */
  title?: string;
  /** The parent conversation of a sub-floor (D34). */
  parent?: string;
};

export type ListQuery = {
  after?: string;
  limit: number;
  /** Only conversations in which this speaker was ever in an audience. */
  speaker?: string;
  /** Only sub-floors of this conversation. */
  parent?: string;
};

export type PendingDelivery = {
  conversationId: string;
  effect: DeliverEffect;
  /** A dead letter that is redelivered: its answer belongs to no turn any more. */
  isRedelivery?: true;
};

/** Work that was not finished when the process ended. */
export type PendingWork = {
  deliveries: readonly PendingDelivery[];
  timers: readonly { conversationId: string; timer: Timer }[];
};

/** A speaker and its claimed address. */
export type Binding = { speakerUri: string; serviceUrl: string };

/** An agent by its address. `known` is opaque text of the agent registry. */
export type StoredAgent = { serviceUrl: string; known: string };

/** Not part of the logs of conversations. Lost records can be learned again. */
export interface AgentStore {
  agents(): Promise<readonly StoredAgent[]>;
  /** Atomic. A newer record of an address replaces the older one. */
  keepAgents(change: { kept: readonly StoredAgent[]; forgotten: readonly string[] }): Promise<void>;
}

/** The store of conversations. All returned values are plain data and immutable. */
export interface FloorStore extends AgentStore, CatalogueStore, FeedbackStore, WebhookStore {
  /** Includes appended changes that are not durable yet, so that the next decision does not wait for the disk. */
  load(conversationId: string): Promise<Floor | undefined>;
  /**
   * Compare and append: writes only if the conversation still is at `expectedSeq` (0: does not exist). `load`, `seen` and
   * `request` see the change at once, readers of the log when it is durable; then the promise resolves. It rejects when
   * nothing was written; changes appended on top of it are then conflicts. An `erased` entry removes the named content
   * from the log, the outbox, the dead letters and the store's files (D35).
   */
  append(conversationId: string, change: Change, expectedSeq: number): Promise<"appended" | "conflict">;
  /** Durable entries in order, after `after`, at most `limit`. */
  entries(conversationId: string, range: { after: number; limit: number }): Promise<readonly Entry[]>;
  /** The floor after entry `seq`. */
  floorAt(conversationId: string, seq: number): Promise<Floor | undefined>;
  /** Ordered by id, after `after`. */
  list(query: ListQuery): Promise<readonly ConversationSummary[]>;
  count(): Promise<number>;
  /** The known hashes of each of these utterances. */
  seen(conversationId: string, utterances: readonly Omit<DedupeKey, "hash">[]): Promise<readonly (readonly string[])[]>;
  /**
   * Whispers that have the id, or the speaker and text, of one of these dialog events, and the public utterances that match
   * in the same way (D16).
   */
  whispersLike(conversationId: string, dialogEvents: readonly DialogEvent[]): Promise<readonly Entry[]>;
  /** Whether the speaker was ever in the audience of an entry of this conversation. */
  hasSeen(conversationId: string, speaker: string): Promise<boolean>;
  /**
   * The address that each of these speakers first joined from, in any conversation, or the one that the operator set.
   * speakerUris are compared without case and trailing slashes.
   */
  boundTo(claims: readonly Binding[]): Promise<readonly (string | undefined)[]>;
  request(key: RequestKey): Promise<RequestRecord | undefined>;
  /** Removes a delivery that needs no answer. If this call is lost, the delivery is repeated. */
  settle(conversationId: string, delivery: string): Promise<void>;
  pending(): Promise<PendingWork>;
  /** Ordered by conversation and delivery, after `after`. */
  deadLetters(query: { after?: DeadLetterKey; limit: number; conversationId?: string }): Promise<readonly DeadLetter[]>;
  deadLetter(key: DeadLetterKey): Promise<DeadLetter | undefined>;
  /** Moves a dead letter back to the outbox. False when there is none. */
  redeliver(key: DeadLetterKey): Promise<boolean>;
  /** Deletes dead letters, of deliveries and of webhooks, and requests older than these times. */
  sweep(before: { deadLetters: string; requests: string }): Promise<void>;
  /** A persistent setting: stores `initial` at the first call, and returns the stored value (D25). */
  keep(name: string, initial: string): Promise<string>;
  /** Figures for monitoring, by kind. */
  figures?(): Readonly<Record<string, number>>;
  /** Writes a probe; resolves when it is durable, rejects when the store cannot write. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A person's feedback on a turn, identified by its trace. */
export type Feedback = { traceId: string; by: string; reaction?: string; comment?: string; at: string };

/** Not part of the logs of conversations. */
export interface FeedbackStore {
  /**
   * One per trace and speaker: an absent field keeps its value, an empty text deletes it. Above `feedbackMax` in total, or
   * `feedbackPerSpeakerMax` per speaker, the oldest are deleted.
   */
  keepFeedback(feedback: Feedback): Promise<void>;
  /** Feedback on these traces, oldest first. */
  feedback(traceIds: readonly string[]): Promise<readonly Feedback[]>;
}

export const feedbackMax = 100_000;
export const feedbackPerSpeakerMax = 1_000;

/** The earlier feedback updated with the new; undefined when nothing is left. */
export function mergedFeedback(before: Feedback | undefined, given: Feedback): Feedback | undefined {
  const { traceId, by, at } = given;
  const reaction = given.reaction ?? before?.reaction ?? "";
  const comment = given.comment ?? before?.comment ?? "";
  if (reaction === "" && comment === "") return undefined;
  return { traceId, by, ...(reaction !== "" && { reaction }), ...(comment !== "" && { comment }), at };
}
