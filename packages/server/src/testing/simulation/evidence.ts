import type { Entry, Floor } from "@plenary/floor";
import type { OutboxRow } from "./outbox-history.ts";

// The results of a run, a kill loop or a crash test, as plain data for the invariants.

/** An acknowledged request. */
export type Acknowledged = {
  conversationId: string;
  /** The entries in the acknowledgement; empty where a test sees only their numbers. */
  entries: readonly Entry[];
  /** The ids of the utterances in the request. */
  utteranceIds: readonly string[];
};

/** The log of one conversation after the last recovery, and the stored floors. */
export type Log = {
  conversationId: string;
  entries: readonly Entry[];
  loaded: Floor | undefined;
  atHead: Floor | undefined;
};

/** An envelope that an agent received. */
export type ReceivedEnvelope = {
  speakerUri: string;
  serviceUrl: string;
  conversationId: string;
  delivery: string;
  /** The process that sent it. */
  by: string;
  text: string;
};

/** An event that a viewer received. */
export type Viewed = { speakerUri: string; conversationId: string; seq: number; text: string };

/** A whispered word, and the speakers that may see it. */
export type Secret = { word: string; mayKnow: readonly string[] };

export type Answered = { conversationId: string; sentAtMs: number; answeredAtMs: number };

/** A period in which no deadline applies. */
export type Outage = { fromMs: number; toMs: number };

export type Evidence = {
  acknowledged: Acknowledged[];
  logs: Log[];
  received: ReceivedEnvelope[];
  viewed: Viewed[];
  secrets: Secret[];
  rows: readonly OutboxRow[];
  /** Deliveries whose answer was promised for later: conversation and delivery. */
  promised: Set<string>;
  answered: Answered[];
  outages: Outage[];
  wroteAtMs: ReadonlyMap<string, number>;
  /** Unexpected errors. */
  errors: string[];
};

export function noEvidence(from: Pick<Evidence, "rows" | "wroteAtMs">): Evidence {
  return {
    acknowledged: [],
    logs: [],
    received: [],
    viewed: [],
    secrets: [],
    answered: [],
    outages: [],
    errors: [],
    promised: new Set(),
    ...from,
  };
}
