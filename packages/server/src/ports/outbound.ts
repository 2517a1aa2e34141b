import type { Failure, Unsent } from "@plenary/floor";
import type { Carried, Dialect, DraftStep, Envelope, FloorEvent, LeftOut, Peers, Sender } from "@plenary/protocol";
import type { BrokenRule } from "./broken-rules.ts";

/** A delivery on its way, with what its carrier needs to write it and to read the answer. */
export type OutboundMessage = {
  conversationId: string;
  delivery: string;
  to: { speakerUri: string; serviceUrl: string };
  envelope: Envelope;
  /** How the host seated its recipient; absent for invited conversants. */
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
  background: () => Promise<DialectContext>;
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

export type DialectContext = { peers: Peers; carried: Carried };
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
      encounter?: PeerObservation;
    }
  /** `code` is what went wrong more exactly, where that says something about the recipient; `excerpt` its own words. */
  | { kind: "failure"; failure: Failure; detail: string; code?: string; excerpt?: string; unsent?: Unsent }
  | { kind: "later" }
  | { kind: "aborted" };
/** An ended delivery: it was answered, or it failed. */
export type EndedOutcome = Extract<Outcome, { kind: "envelope" | "failure" }>;

/** What an answer shows about the agent that gave it. Absent where no agent was asked. */
export type PeerObservation = {
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
  send(message: OutboundMessage): Promise<Outcome>;
}

/** Who the floor itself is; its address is known once it listens. */
export type FloorIdentity = Sender & { serviceUrl: string };
