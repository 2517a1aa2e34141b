import type { Failure, Unsent } from "@plenary/floor";
import {
  type Carried,
  type Dialect,
  type DraftStep,
  type Envelope,
  type FloorEvent,
  type LeftOut,
  type Peers,
  type RuleId,
  rules,
  type Sender,
} from "@plenary/protocol";
import type { StopSignal } from "../stop-signal.ts";

/** A delivery, with all that an outbound needs to send it and to decode the answer. */
export type OutboundMessage = {
  conversationId: string;
  delivery: string;
  /** The secret id that names the delivery to its recipient; derived by the outbound if absent. */
  webhookId?: string;
  to: { speakerUri: string; serviceUrl: string };
  envelope: Envelope;
  /** How the host seated the recipient; absent for invited conversants. */
  seatedAs?: "person" | "agent" | undefined;
  turn: string;
  depth: number;
  /** Other floors that the turn came through (D17). */
  floors: readonly string[];
  isInvite: boolean;
  isDelegation: boolean;
  /** The silence timeout of this conversation; absent: the floor's. */
  agentTimeoutMs?: number | undefined;
  /** Absent until this peer has answered once (D23). */
  dialect?: Dialect | undefined;
  /** While `dialect` is absent: tried before the others. */
  firstDialect?: Dialect | undefined;
  /** A health check that a caller waits for: one attempt, even if the circuit breaker is open. */
  isCheck?: true;
  /** Addresses of the conversants, to decode the answer. */
  peers: Peers;
  /** What older dialects write beside the envelope. Constant like the envelope: a retry has the same bytes (D22). */
  background: () => Promise<DialectContext>;
  /** Fires when the answer is no longer wanted (D18). */
  signal: AbortSignal;
  /** The same signal. Cheaper than `signal`, and enough to listen for the abort. */
  stop?: StopSignal;
  /** Fires when the delivery was stopped (D18): a running attempt continues, no further one is made. */
  stopped?: StopSignal;
  /** The first attempt failed and others follow: the turn does not wait for this delivery any longer (D4). */
  onRetry: () => void;
  /** True: an attempt was sent. False: the recipient did not accept it, and another attempt may follow. */
  onSent?: (isSent: boolean) => void;
  /** A piece of a draft (D30). The listener checks who may see it. */
  onDraft: (piece: DraftPiece) => void;
};

export type DialectContext = { peers: Peers; carried: Carried };
export type DraftPiece = { dialogEventId: string; to?: FloorEvent["to"]; delta?: string; step?: DraftStep };

/** How a delivery ended. `later`: accepted, and the answer follows in a request of its own (D22). */
export type Outcome =
  | {
      kind: "envelope";
      envelope: Envelope;
      dialect: Dialect;
      carried: Carried;
      /** Events of the answer that could not be decoded and are not in the envelope. */
      leftOut?: readonly LeftOut[];
      encounter?: PeerObservation;
    }
  /** `code`: the exact error, where it says something about the recipient. `excerpt`: text of its answer. */
  | { kind: "failure"; failure: Failure; detail: string; code?: string; excerpt?: string; unsent?: Unsent }
  | { kind: "later" }
  | { kind: "aborted" };

/** An ended delivery: it was answered, or it failed. */
export type EndedOutcome = Extract<Outcome, { kind: "envelope" | "failure" }>;

/** What an answer shows about its agent. */
export type PeerObservation = {
  /** From the request to the end of the answer, if measured. */
  tookMs?: number;
  issues: readonly BrokenRule[];
  /** The dialect was found by trying all, newest first; it was not known before. */
  isDialectFound?: true;
};

/** A transport to conversants. The first one that reaches an address sends the deliveries to it. */
export interface Outbound {
  reaches(to: { speakerUri: string; serviceUrl: string }): boolean;
  /** Never rejects. */
  send(message: OutboundMessage): Promise<Outcome>;
}

/** The floor's own identity; its address is known after `listen`. */
export type FloorIdentity = Sender & { serviceUrl: string };

/** Faults of agents that a single document does not show. As in `rules`, `says` states the correct behaviour. */
const behaviours = {
  "answers-whispers-aloud": {
    says: "a private utterance is answered in private",
    fix: 'write "to": {"speakerUri": the speaker, "private": true} into the answer to a private utterance',
    spec: "Plenary, spec-notes: Whispers",
  },
  "answers-in-another-conversation": {
    says: "an answer has the conversation.id of the envelope that it answers",
    fix: "copy conversation.id from the request",
    spec: "Inter-Agent Message 1.1.0, section 1.6",
  },
};

export type Behaviour = keyof typeof behaviours;

/** A rule that an answer broke; `repaired`: the floor could use the answer. */
export type BrokenRule = { rule: RuleId | Behaviour; repaired: boolean };

/** Texts of rules and behaviours, by id. */
export const quirkWords: Readonly<Record<RuleId | Behaviour, { says: string; fix: string; spec: string }>> = {
  ...rules,
  ...behaviours,
};
