import type { Carried, Dialect, Envelope, Identification } from "@plenary/protocol";
import type { FloorOptions, Seat } from "./floor.ts";

/** What the shell has looked up, because the core cannot: the store's answers to questions about the past. */
export type Facts = {
  /** Indexes of utterances already in effect with the same id and content: they have no second effect (D29). */
  duplicates?: readonly number[];
  /** Indexes of utterances whose id is taken by another text: they get a fresh one (D29). */
  clashes?: readonly number[];
  /** Ids of dialog events in an invite's history that are whispers the invitee had no part in (D16). */
  withheld?: readonly string[];
  /** Ids of dialog events in an invite's history that are whispers of this conversation at all: no convener is shown them. */
  whispered?: readonly string[];
  /**
   * Of the names that are invited or answered under here: those that this server trusted at another address before. Who
   * comes first is trusted; afterwards owner or operator re-bind.
   */
  boundElsewhere?: readonly string[];
  /**
   * Of the same names: those that were trusted at another port of this machine, while this server listens on loopback only.
   * Who answers under such a name is re-bound.
   */
  moved?: readonly string[];
};

/** An event that the parser left out of the envelope: its place in the document, and why. */
export type LeftOutEvent = { index: number; because: "1.8/unusable-event" | "1.9/unknown-event-type" };

/** Somebody sends an envelope. Who it is has been established. */
export type EnvelopeInput = {
  kind: "envelope";
  envelope: Envelope;
  dialect?: Dialect;
  carried?: Carried;
  facts?: Facts;
  leftOut?: readonly LeftOutEvent[];
  /** Hops behind it on other floors (D17). */
  depth?: number;
  /** The floors those hops were made on. */
  floors?: readonly string[];
  /** Whose credential it came with, where that is not a person's own. */
  via?: "operator" | "agent";
  /** It answers a private utterance of this conversant, in a delivery that the floor had given up (D13'). */
  whisperer?: string;
};

export type Failure = "unreachable" | "timeout" | "no-envelope" | "refused";

/** The recipient of a delivery that was stopped before it was sent (D18). `whisperer`: it held a private utterance. */
export type Unsent = { to: string; whisperer?: string };

/** A delivery came to its end: an envelope, or none. */
export type AnswerInput = {
  kind: "answer";
  delivery: string;
  envelope?: Envelope;
  failure?: Failure;
  /** Of a failure: what went wrong, in words that follow the name of the recipient and are for everybody. */
  detail?: string;
  /** Of a failure: the delivery held only news of others (D23'). */
  isAboutOthers?: true;
  dialect?: Dialect;
  carried?: Carried;
  facts?: Facts;
  leftOut?: readonly LeftOutEvent[];
  /** Hops behind it on other floors (D17). */
  depth?: number;
  /** The turn of the delivery, for an answer that comes too late to find it. */
  turn?: string;
  /** Of a failure: the delivery was stopped before it was sent. */
  unsent?: Unsent;
};

/** D31: a question of an agent that nobody answered in time. Whether that is so, the shell reads in the log. */
export type LapsedQuestion = {
  /** Of the entry that asked. */
  seq: number;
  id: string;
  /** Who asks. */
  sender: string;
  /** Who alone was asked in private: what the agent says now is for that person, too. */
  whisperer?: string;
  turn: string;
  depth: number;
};

/** `question`: of a timer of a question, what the log says of it; absent when it was answered or taken back. */
export type TimerInput = { kind: "timer"; id: string; question?: LapsedQuestion };

/**
 * The host interface: what is done beside the protocol. That the caller is the operator, this speaker or a guest with a
 * link was established; whether this speaker is the owner, or a person who is here, is judged here, by the floor at that
 * place.
 */
export type CommandInput = { kind: "command"; command: Command } & (
  | { by: "operator" }
  | { by: "owner" | "person"; speakerUri: string }
  | { by: "link" }
);

export type Command =
  | { verb: "open"; self: { speakerUri: string; serviceUrl?: string }; owner?: Identification; options: FloorOptions }
  | { verb: "seat"; identification: Identification; seatKind: Seat["kind"] }
  | { verb: "identify"; speakerUri: string; identification: Identification }
  | { verb: "remove"; speakerUri: string; reason?: string }
  /** Somebody who is here, an agent at this address, which is invited if need be, or nobody any more. */
  | { verb: "convener"; speakerUri?: string; serviceUrl?: string }
  /** A role beside owner and convener, such as archivist. */
  | { verb: "role"; role: string; speakerUri: string; isAssigned: boolean }
  | { verb: "rebind"; speakerUri: string; serviceUrl: string }
  /** The answer to a request of an agent to be known at another address. */
  | { verb: "move"; speakerUri: string; isAllowed: boolean }
  | { verb: "reveal"; speakerUri: string; from: number }
  | { verb: "erase"; seq: number }
  | { verb: "title"; title?: string }
  /** Every turn in which somebody is waited for, or only these. */
  | { verb: "pause"; turns?: readonly string[] }
  | { verb: "resume" }
  | { verb: "close"; reason?: string };

export type Input = EnvelopeInput | AnswerInput | TimerInput | CommandInput;
