import type { DeliverEffect, Entry, Failure, Floor, Unsent } from "@plenary/floor";
import type {
  Carried,
  Dialect,
  DialogEvent,
  DraftStep,
  Envelope,
  FloorEvent,
  LeftOut,
  Peers,
  Sender,
} from "@plenary/protocol";
import type { CatalogueStore } from "@plenary/sdk";
import type { BrokenRule } from "./agent-behaviours.ts";
import type { FeedbackStore } from "./feedback.ts";

/** Time. Nothing else in this package asks the system what time it is or sleeps. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, not before `atMs`. Returns the way to cancel it. */
  at(atMs: number, ring: () => void): () => void;
}

export interface Ids {
  newId(): string;
  /** Between 0 and 1, for the jitter of retries. */
  random(): number;
}

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
  /** Deliveries that ended without an answer: kept for whoever runs the floor, to look at and to send again. */
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

export type Summary = {
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
export type Pending = {
  deliveries: readonly PendingDelivery[];
  timers: readonly { conversationId: string; timer: Timer }[];
};

/** A speaker, and an address it is said to be at. */
export type Binding = { speakerUri: string; serviceUrl: string };

/** What is known of an agent, by its address. As text: only the list of known agents writes and reads it. */
export type KeptAgent = { serviceUrl: string; known: string };

/** Beside the conversations and no part of their logs: losing some of it loses no more than what can be asked again. */
export interface AgentStore {
  agents(): Promise<readonly KeptAgent[]>;
  /** All of it or nothing. Of an address that is kept already the newest is kept. */
  keepAgents(change: { kept: readonly KeptAgent[]; forgotten: readonly string[] }): Promise<void>;
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
  list(query: ListQuery): Promise<readonly Summary[]>;
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
  pending(): Promise<Pending>;
  /** By conversation and delivery, from the one after `after`. */
  deadLetters(query: { after?: DeadLetterKey; limit: number; conversationId?: string }): Promise<readonly DeadLetter[]>;
  deadLetter(key: DeadLetterKey): Promise<DeadLetter | undefined>;
  /** Puts it back among the pending ones. False when there is none of that name. */
  revive(key: DeadLetterKey): Promise<boolean>;
  /** Forgets dead letters and requests that are older than this. */
  sweep(before: { deadLetters: string; requests: string }): Promise<void>;
  /** A setting that survives restarts: the first value given stays (D25). */
  keep(name: string, initial: string): Promise<string>;
  /** What whoever runs the floor may want to watch, by kind. */
  figures?(): Readonly<Record<string, number>>;
  /** Writes something, and resolves when it is durable; rejects with the reason when the store cannot write. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A delivery on its way, with what its carrier needs to write it and to read the answer. */
export type Letter = {
  conversationId: string;
  delivery: string;
  to: { speakerUri: string; serviceUrl: string };
  envelope: Envelope;
  /** How the host seated its recipient; absent for those who were invited, whoever they are. */
  seatedAs?: "person" | "agent";
  turn: string;
  depth: number;
  /** Other floors behind the turn (D17). */
  floors: readonly string[];
  isInvite: boolean;
  isDelegation: boolean;
  /** How long this conversation waits for a sign of an answer; absent: as long as the floor does. */
  agentTimeoutMs?: number;
  /** Absent until this peer has answered once (D23). */
  dialect?: Dialect;
  /** While that is absent: what is tried before the others. */
  firstDialect?: Dialect;
  /** Asked by somebody who waits to see how it goes: tried once, however often it has failed before. */
  isCheck?: true;
  /** Who is where, for reading the answer. */
  peers: Peers;
  /** What older dialects say beside the envelope. Frozen like the envelope itself: a repetition has the same bytes (D22). */
  background: () => Promise<Background>;
  /** Fires when the answer is no longer wanted (D18). */
  signal: AbortSignal;
  /** Fires when nobody waits for the answer (D18): an attempt under way goes on, another one is not made. */
  stopped?: AbortSignal;
  /** The first attempt failed and others follow: nobody waits for this one any longer (D4). */
  onRetry: () => void;
  /** True: the bytes of an attempt are out. False: the recipient has not taken them, and another attempt may follow. */
  onSent?: (isSent: boolean) => void;
  /** The peer is composing (D30). Whether anybody may see it is not the carrier's business. */
  onDraft: (piece: DraftPiece) => void;
};

export type Background = { peers: Peers; carried: Carried };

export type DraftPiece = { dialogEventId: string; to?: FloorEvent["to"]; delta?: string; step?: DraftStep };

/** How a delivery ended. `later`: taken, and the answer will come on its own (D22). */
export type Outcome =
  | {
      kind: "envelope";
      envelope: Envelope;
      dialect: Dialect;
      carried: Carried;
      /** Events of the answer that are not in the envelope, because nothing could be made of them. */
      leftOut?: readonly LeftOut[];
      encounter?: Encounter;
    }
  /** `code` is what went wrong more exactly, where that says something about the recipient; `excerpt` its own words. */
  | { kind: "failure"; failure: Failure; detail: string; code?: string; excerpt?: string; unsent?: Unsent }
  | { kind: "later" }
  | { kind: "aborted" };

/** What an answer tells of whoever gave it. Absent where nobody was asked. */
export type Encounter = {
  /** From the request to the end of the answer, where that was measured. */
  tookMs?: number;
  /** What it did against the rules. */
  issues: readonly BrokenRule[];
  /** The dialect was found by trying, from the newest on, and not only spoken because it was known. */
  isDialectFound?: true;
};

/** A way to reach conversants. The first that knows an address carries what goes there. */
export interface Outbound {
  reaches(to: { speakerUri: string; serviceUrl: string }): boolean;
  /** Never rejects. */
  send(letter: Letter): Promise<Outcome>;
}

/** What a dialler rejects with. */
export type DialFailure = Error & {
  code: string;
  /** The peer may have seen the request, so that repeating it is not harmless. */
  isSent: boolean;
  /** Surely not processed, and trying again may help. */
  retryable: boolean;
  /** Of a redirect: the address that it names. */
  location?: string | undefined;
};

export type DialRequest = {
  url: string;
  body: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Called when the connection is open and the bytes go out: from then on the peer may act on them. */
  onSent?: () => void;
  connectMs: number;
  /** To the first byte of the answer, between any two, and in all; the dialler's own where absent. */
  firstByteMs?: number;
  silenceMs?: number;
  totalMs?: number;
};

export type DialResponse = {
  status: number;
  headers: { get(name: string): string | null };
  /** To be read to its end or left by `break`. */
  body: AsyncIterable<Uint8Array>;
};

/** The only way out of this process (D32). POSTs, follows no redirect, rejects with a `DialFailure`. */
export interface Dialler {
  dial(request: DialRequest): Promise<DialResponse>;
}

/** Who the floor itself is; its address is known once it listens. */
export type Self = Sender & { serviceUrl: string };

/** The files of a page for people, by their paths below the root. */
export interface PageFiles {
  file(path: string): PageFile | undefined;
}

export type PageFile = {
  bytes: Buffer<ArrayBuffer>;
  /** Its media type. */
  type: string;
  /** Strong, quotes included. */
  etag: string;
  /** Its name changes with its content, so nobody need ask for it again. */
  isImmutable: boolean;
  gzip?: Buffer<ArrayBuffer>;
};
