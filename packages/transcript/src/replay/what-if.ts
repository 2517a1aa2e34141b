import type { DeliverEffect, Entry, Failure, Floor, FloorOptions } from "@plenary/floor";
import type { Dialect, Envelope, FloorEvent } from "@plenary/protocol";

/** What is to be different. */
export type WhatIf = {
  /** `recorded`: whoever it was, deciding as it did. `none`: nobody. Else somebody new, at this address. */
  convener: "recorded" | "none" | { serviceUrl: string };
  options: Partial<Pick<FloorOptions, "policy" | "floorEnforcement">>;
};

/** What the new convener is to hear. Nobody else is told anything. */
export type ConvenerCall =
  /** As it would be sent; its answer counts as the answer. */
  | { kind: "deliver"; effect: DeliverEffect; floor: Floor; at: string }
  /** The time it wished to be woken at has come. */
  | { kind: "time"; floor: Floor; at: string };

export type ConvenerReply = {
  /** Its answer, or what it sends of its own accord. Absent with `failure`, or when it has nothing to say. */
  envelope?: Envelope;
  failure?: Failure;
  dialect?: Dialect;
  /** Of an agent of this process: it wishes to be woken then. */
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
  /** The recorded input that an entry belongs to: one number for each entry. */
  stepOfEntry: readonly number[];
  floor: Floor;
  /** The new convener's name, once it has the chair. */
  convener?: string;
  asked: number;
  /** Deliveries to the new convener that it did not answer. */
  unanswered: number;
  /** Recorded inputs that were taken, and those of the former convener, which were not. */
  taken: number;
  leftOut: number;
  /** Recorded decisions of the convener on what it would not have been asked here. */
  moot: number;
  impossible: readonly Impossible[];
  /** Answers to what was never sent here, taken as envelopes of their own. */
  unasked: number;
  /** Answers that came too late then and might not have here; what they said was not kept. */
  unknown: number;
  /** What the recorded convener was never asked, so that the floor decided as if it had not answered. */
  undecided: number;
};
