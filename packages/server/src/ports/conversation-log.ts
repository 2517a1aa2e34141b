import type { DeliverEffect, Entry, Floor } from "@plenary/floor";
import type { MaybePromise } from "./maybe-promise.ts";

/** By which an utterance is known. */
export type UtteranceName = { sender: string; dialogEventId: string };

/**
 * One utterance that took effect or is parked: the same id and content have no second effect (D29). Without a hash, its
 * content is in the `received` entry of the same change, under the same sender and id.
 */
export type DedupeKey = UtteranceName & { hash?: string };

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

/** The conversations and their logs. All returned values are plain data and immutable. */
export interface ConversationLog {
  /** Includes appended changes that are not durable yet, so that the next decision does not wait for the disk. */
  load(conversationId: string): MaybePromise<Floor | undefined>;
  /**
   * Compare and append: writes only if the conversation still is at `expectedSeq` (0: does not exist). `load`,
   * `Lookups.seen` and `Lookups.request` see the change at once, readers of the log when it is durable; then the promise
   * resolves. It rejects when nothing was written; changes appended on top of it are then conflicts. An `erased` entry
   * removes the named content from the log, the outbox, the dead letters and the store's files (D35).
   */
  append(conversationId: string, change: Change, expectedSeq: number): Promise<"appended" | "conflict">;
  /** Durable entries in order, after `after`, at most `limit`. */
  entries(conversationId: string, range: { after: number; limit: number }): Promise<readonly Entry[]>;
  /** The floor after entry `seq`. */
  floorAt(conversationId: string, seq: number): Promise<Floor | undefined>;
  /** Ordered by id, after `after`. */
  list(query: ListQuery): Promise<readonly ConversationSummary[]>;
  count(): Promise<number>;
}
