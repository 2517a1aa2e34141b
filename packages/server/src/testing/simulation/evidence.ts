import type { Entry, Floor } from "@plenary/floor";
import type { OutboxRow } from "./outbox-book.ts";

// What a run, a kill loop or a crash test leaves behind for the invariants to judge: plain data.

/** A request that was answered with success. */
export type Acknowledged = {
  conversationId: string;
  /** As it was answered; a harness that sees only numbers gives none. */
  entries: readonly Entry[];
  /** Of the utterances it brought. */
  utteranceIds: readonly string[];
};

/** The log of one conversation after the last recovery, and what else the store says of it. */
export type Log = {
  conversationId: string;
  entries: readonly Entry[];
  loaded: Floor | undefined;
  atHead: Floor | undefined;
};

/** One envelope as it reached an agent. */
export type Heard = {
  speakerUri: string;
  serviceUrl: string;
  conversationId: string;
  delivery: string;
  /** The process that sent it. */
  by: string;
  text: string;
};

/** One event as it reached a viewer. */
export type Viewed = { speakerUri: string; conversationId: string; seq: number; text: string };

/** A word that was whispered, and who may ever see it. */
export type Secret = { word: string; mayKnow: readonly string[] };

export type Answered = { conversationId: string; askedAtMs: number; answeredAtMs: number };

/** Stretches of time in which nothing could be expected of anybody. */
export type Outage = { fromMs: number; toMs: number };

export type Evidence = {
  acknowledged: Acknowledged[];
  logs: Log[];
  heard: Heard[];
  viewed: Viewed[];
  secrets: Secret[];
  rows: readonly OutboxRow[];
  /** Deliveries whose answer was promised for later: conversation and delivery. */
  promised: Set<string>;
  answered: Answered[];
  outages: Outage[];
  wroteAtMs: ReadonlyMap<string, number>;
  /** What nobody foresaw. */
  errors: string[];
};

export function noEvidence(from: Pick<Evidence, "rows" | "wroteAtMs">): Evidence {
  return {
    ...{ acknowledged: [], logs: [], heard: [], viewed: [], secrets: [], answered: [], outages: [], errors: [] },
    promised: new Set(),
    ...from,
  };
}
