import type { Carried, Dialect, Envelope, Identification } from "@plenary/protocol";
import type { Seat } from "./floor.ts";
import type { FloorOptions } from "./options.ts";

/** What the shell has looked up in the store, because the core cannot. */
export type Facts = {
  /** Indexes of utterances that took effect before with the same id and content: they have no second effect (D29). */
  duplicates?: readonly number[];
  /** Indexes of utterances whose id belongs to another text: they get a new one (D29). */
  clashes?: readonly number[];
  /** Ids of dialog events in an invite's history that are whispers the invitee had no part in (D16). */
  withheld?: readonly string[];
  /** Ids of dialog events in an invite's history that are whispers of this conversation: no convener sees them. */
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

/** An event that the parser left out of the envelope: its index in the document, and the rule. */
export type LeftOutEvent = { index: number; because: "1.8/unusable-event" | "1.9/unknown-event-type" };

/** An envelope. The server has authenticated its sender. */
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
  /** The credential it came with, unless it is the person's own. */
  via?: "operator" | "agent";
  /** It answers a private utterance of this conversant, in a delivery that had failed before (D13'). */
  whisperer?: string;
};

export type Failure = "unreachable" | "timeout" | "no-envelope" | "refused";

/** The recipient of a delivery that was stopped before it was sent (D18). `whisperer`: it held a private utterance. */
export type Unsent = { to: string; whisperer?: string };

/** The end of a delivery: an envelope, or a failure. */
export type AnswerInput = {
  kind: "answer";
  delivery: string;
  envelope?: Envelope;
  failure?: Failure;
  /** Of a failure: what went wrong, as a phrase that follows the recipient's name. It is shown to everyone. */
  detail?: string;
  /** Of a failure: the delivery held only events about others (D23'). */
  isAboutOthers?: true;
  dialect?: Dialect;
  carried?: Carried;
  facts?: Facts;
  leftOut?: readonly LeftOutEvent[];
  /** Hops behind it on other floors (D17). */
  depth?: number;
  /** The turn of the delivery, for an answer whose delivery is no longer open. */
  turn?: string;
  /** Of a failure: the delivery was stopped before it was sent. */
  unsent?: Unsent;
};

/** D31: an agent's question that got no answer in time. The shell finds that out from the log. */
export type LapsedQuestion = {
  /** Of the entry that asked. */
  seq: number;
  id: string;
  /** Who asks. */
  sender: string;
  /** The person who was asked in private: the agent's answer is private to that person, too. */
  whisperer?: string;
  turn: string;
  depth: number;
};

/** `question`: for a question timer, the unanswered question; absent when it was answered or withdrawn. */
export type TimerInput = { kind: "timer"; id: string; question?: LapsedQuestion };

/**
 * The host interface: what is done beside the protocol. That the caller is the operator, this speaker or a guest with a
 * link was established; whether this speaker is the owner, or a person who is here, is judged here, by the floor at that
 * place.
 */
export type CommandInput = { kind: "command"; command: Command; facts?: CommandFacts } & (
  | { by: "operator" }
  | { by: "owner" | "person"; speakerUri: string }
  | { by: "link" }
);

/** What the core cannot know about a command. */
export type CommandFacts = {
  /** Of a seat: its address is no relay address of this floor. */
  isElsewhere?: boolean;
  /** Of an erasure: the kind of the named entry, which has no events. */
  emptyEntry?: string;
};

export type Command =
  | { verb: "open"; self: { speakerUri: string; serviceUrl?: string }; owner?: Identification; options: FloorOptions }
  | { verb: "seat"; identification: Identification; seatKind: Seat["kind"] }
  | { verb: "identify"; speakerUri: string; identification: Identification }
  | { verb: "remove"; speakerUri: string; reason?: string }
  /** A conversant by name, or an agent by address, which is invited if needed. With neither, the role is taken away. */
  | { verb: "convener"; speakerUri?: string; serviceUrl?: string }
  /** A role other than owner and convener, such as archivist. */
  | { verb: "role"; role: string; speakerUri: string; isAssigned: boolean }
  | { verb: "rebind"; speakerUri: string; serviceUrl: string }
  /** The answer to an agent's request for a new address. */
  | { verb: "move"; speakerUri: string; isAllowed: boolean }
  | { verb: "reveal"; speakerUri: string; from: number }
  | { verb: "erase"; seq: number }
  | { verb: "title"; title?: string }
  /** Every turn with open deliveries, or only these. */
  | { verb: "pause"; turns?: readonly string[] }
  | { verb: "resume" }
  | { verb: "close"; reason?: string };

export type Input = EnvelopeInput | AnswerInput | TimerInput | CommandInput;
