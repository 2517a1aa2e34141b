import type { DeliverEffect, Entry, Failure, Floor, FloorOptions } from "@plenary/floor";
import type { Dialect, Envelope, FloorEvent } from "@plenary/protocol";

/** The changes of a replay. */
export type WhatIf = {
  /** `recorded`: the recorded convener with its recorded decisions. `none`: no convener. Else a new one at this address. */
  convener: "recorded" | "none" | { serviceUrl: string };
  options: Partial<Pick<FloorOptions, "policy" | "floorEnforcement">>;
};

/** A call to the new convener. */
export type ConvenerCall =
  /** A delivery; the reply is its answer. */
  | { kind: "deliver"; effect: DeliverEffect; floor: Floor; at: string }
  /** The wake-up that it asked for. */
  | { kind: "time"; floor: Floor; at: string };

export type ConvenerReply = {
  /** Its answer, or an unsolicited envelope. Absent with `failure`, or when it has nothing to send. */
  envelope?: Envelope;
  failure?: Failure;
  dialect?: Dialect;
  /** Of an agent in this process: the time of its next wake-up. */
  wakeAtMs?: number;
};

/** A recorded input that had no effect at all. */
export type Impossible = {
  seq: number;
  sender?: string;
  eventTypes: readonly FloorEvent["eventType"][];
  because: string;
};

export type Replayed = {
  entries: readonly Entry[];
  /** For each entry, the index of the recorded input it belongs to. */
  stepOfEntry: readonly number[];
  floor: Floor;
  /** The new convener's name, once it has the role. */
  convener?: string;
  asked: number;
  /** Deliveries to the new convener that it did not answer. */
  unanswered: number;
  /** The number of recorded inputs that were decided again, and of those of the former convener, which were not. */
  taken: number;
  leftOut: number;
  /** Recorded decisions of the convener on events that were not delegated in the replay. */
  moot: number;
  impossible: readonly Impossible[];
  /** Answers without a delivery in the replay, decided as envelopes of their own. */
  unasked: number;
  /** Late answers that might be in time in the replay; their content was not recorded. */
  unknown: number;
  /** Delegations without a recorded decision, decided as if the convener had not answered. */
  undecided: number;
};
