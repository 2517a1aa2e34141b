import type { DeliverEffect, Entry, Floor } from "@plenary/floor";
import type { DialogEvent } from "@plenary/protocol";
import type { CatalogueStore } from "@plenary/sdk";
import type { FeedbackStore } from "./feedback.ts";

/** One utterance that took effect or is parked: the same id and content have no second effect (D29). */
export type DedupeKey = { sender: string; dialogEventId: string; hash: string };

/** `since` is when it was set: whatever the clock does, it is not waited for longer than was meant then. */
export type Timer = { id: string; at: string; since: string };

/** What one decision leaves behind. A store writes all of it or none of it. */
export type Change = {
  /** The fold of all entries, these included. */
  floor: Floor;
  entries: readonly Entry[];
  deliveries: readonly DeliverEffect[];
  timers: readonly Timer[];
  dedupe: readonly DedupeKey[];
  /** Deliveries that came to their end with this decision. */
  settled: readonly string[];
  /** Timers that this decision answers. */
  rung: readonly string[];
  /** Deliveries that ended without an answer: kept for the operator, to look at and to send again. */
  dead: readonly { delivery: string; failure: string; detail: string; at: string }[];
  /** The request that brought it about, when its caller named it, so that repeating it has no second effect. */
  request?: RequestKey & { hash: string; at: string };
};

/** How callers name their requests: unique per caller. */
export type RequestKey = { caller: string; key: string };

/** What a named request said, and where in the log it took effect. */
export type RequestRecord = { conversationId: string; hash: string; first: number; last: number };

/** A delivery that did not get through. */
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
  /** What it is called; of who has left, what it was called then. */
  title?: string;
  /** The conversation that it serves (D34). */
  parent?: string;
};

export type ListQuery = {
  after?: string;
  limit: number;
  /** Only those in which it was ever entitled to see something. */
  speaker?: string;
  /** Only those that serve this one. */
  parent?: string;
};

export type PendingDelivery = {
  conversationId: string;
  effect: DeliverEffect;
  /** Sent again after the floor had given it up: what comes back is nobody's answer any more. */
  isRevived?: true;
};

/** Work that was promised and not finished when the process ended. */
export type PendingWork = {
  deliveries: readonly PendingDelivery[];
  timers: readonly { conversationId: string; timer: Timer }[];
};

/** A speaker, and an address it is said to be at. */
export type Binding = { speakerUri: string; serviceUrl: string };

/** What is known of an agent, by its address. As text: only the list of known agents writes and reads it. */
export type StoredAgent = { serviceUrl: string; known: string };

/** Beside the conversations and no part of their logs: losing some of it loses no more than what can be asked again. */
export interface AgentStore {
  agents(): Promise<readonly StoredAgent[]>;
  /** All of it or nothing. Of an address that is kept already the newest is kept. */
  keepAgents(change: { kept: readonly StoredAgent[]; forgotten: readonly string[] }): Promise<void>;
}

/** Where conversations are kept. Everything it hands out is plain data that nobody changes. */
export interface FloorStore extends AgentStore, CatalogueStore, FeedbackStore {
  /** With what was appended and is not durable yet, so that the next decision need not wait for the disk. */
  load(conversationId: string): Promise<Floor | undefined>;
  /**
   * Compare and append: writes only if the conversation still is at `expectedSeq` (0: does not exist). `load`, `seen` and
   * `request` know of it at once, readers of the log once it is durable; then it resolves. Rejects when nothing of it
   * was written; what was appended on top of it then is a conflict. With an `erased` entry goes what it names: the words
   * leave the log, the outbox and the dead letters, and the store's files (D35).
   */
  append(conversationId: string, change: Change, expectedSeq: number): Promise<"appended" | "conflict">;
  /** Durable ones, in order, from the one after `after`, at most `limit`. */
  entries(conversationId: string, range: { after: number; limit: number }): Promise<readonly Entry[]>;
  /** The floor as it was after entry `seq`. */
  floorAt(conversationId: string, seq: number): Promise<Floor | undefined>;
  /** By id, from the one after `after`. */
  list(query: ListQuery): Promise<readonly ConversationSummary[]>;
  count(): Promise<number>;
  /** The hashes under which each of these utterances is known already. */
  seen(conversationId: string, utterances: readonly Omit<DedupeKey, "hash">[]): Promise<readonly (readonly string[])[]>;
  /**
   * Whispers in effect that have the id of one of these, or its speaker and text, each with the public utterances of
   * which the same is true (D16).
   */
  whispersLike(conversationId: string, dialogEvents: readonly DialogEvent[]): Promise<readonly Entry[]>;
  /** Whether it ever was entitled to see something of this conversation. */
  hasSeen(conversationId: string, speaker: string): Promise<boolean>;
  /**
   * The address each of these speakers first joined from, in any conversation, unless the operator named another. Names
   * that differ in case or in slashes at the end are one.
   */
  boundTo(claims: readonly Binding[]): Promise<readonly (string | undefined)[]>;
  request(key: RequestKey): Promise<RequestRecord | undefined>;
  /** A delivery that was cut short needs no answer. Losing this call repeats a delivery, no more. */
  settle(conversationId: string, delivery: string): Promise<void>;
  pending(): Promise<PendingWork>;
  /** By conversation and delivery, from the one after `after`. */
  deadLetters(query: { after?: DeadLetterKey; limit: number; conversationId?: string }): Promise<readonly DeadLetter[]>;
  deadLetter(key: DeadLetterKey): Promise<DeadLetter | undefined>;
  /** Puts it back among the pending ones. False when there is none of that name. */
  revive(key: DeadLetterKey): Promise<boolean>;
  /** Forgets dead letters and requests that are older than this. */
  sweep(before: { deadLetters: string; requests: string }): Promise<void>;
  /** A setting that survives restarts: the first value given stays (D25). */
  keep(name: string, initial: string): Promise<string>;
  /** Figures for monitoring, by kind. */
  figures?(): Readonly<Record<string, number>>;
  /** Writes something, and resolves when it is durable; rejects with the reason when the store cannot write. */
  ready(): Promise<void>;
  close(): Promise<void>;
}
