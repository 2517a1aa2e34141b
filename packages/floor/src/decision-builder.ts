import type { FloorEvent } from "@plenary/protocol";
import { apply } from "./apply.ts";
import { conversationOf } from "./delivery/recipients.ts";
import type { DeliverEffect, Effect, Refusal } from "./effect.ts";
import type { Entry, NewEntry } from "./entry.ts";
import type { Floor } from "./floor.ts";
import type { Because } from "./rules.ts";

/** The result of a decision: entries for the log, effects for the shell, refusals. `floor` is the fold of the entries. */
export type Decision = { floor: Floor; entries: Entry[]; effects: Effect[]; refusals: Refusal[] };

/** The sender of the events that are being routed, and their context. */
export type Origin = {
  speakerUri: string;
  turn: string;
  depth: number;
  /** The entry that brought these events in. */
  causedBy: number;
  /** It answers an utterance addressed to it, so it may speak once without the floor (D7). */
  isAddressed?: boolean;
  /** The events answer a delivery that was open. */
  isAnswer?: true;
  /** Of a person: the events came over other floors, or with an agent's credential (D17). */
  isPassedOn?: true;
  /** Answers a private utterance of this conversant (D13'). */
  whisperer?: string;
  withheld: readonly string[];
  whispered?: readonly string[];
  boundElsewhere?: readonly string[];
  moved?: readonly string[];
  /** The convener returned the event (D10). */
  approvedBy?: string;
  /** The convener did not answer in time: the table column without a convener decides (D11). */
  isUnconvened?: true;
};

/** The state of one `decide` call. */
export type DecisionBuilder = {
  floor: Floor;
  readonly now: string;
  /** The events of the input: refusals name them by index. */
  readonly given: readonly FloorEvent[];
  readonly entries: Entry[];
  readonly effects: Effect[];
  readonly refusals: Refusal[];
  /** The outgoing envelopes, in the order in which they were started. */
  readonly envelopes: DeliverEffect[];
  /** The newest envelope of each recipient; set when a second event is delivered. */
  latest: Map<string, DeliverEffect> | undefined;
};

export function startDecision(floor: Floor, now: string, given: readonly FloorEvent[]): DecisionBuilder {
  return { floor, now, given, entries: [], effects: [], refusals: [], envelopes: [], latest: undefined };
}

export function finishDecision({ floor, entries, effects, refusals, envelopes }: DecisionBuilder): Decision {
  if (envelopes.length > 0) {
    const conversation = conversationOf(floor);
    for (const envelope of envelopes) {
      envelope.conversation = conversation;
      effects.push(envelope);
    }
  }
  return { floor, entries, effects, refusals };
}

/** Nothing is applied: the whole input is refused. */
export function refuseAll(floor: Floor, refusal: Refusal & { because: Because }): Decision {
  return { floor, entries: [], effects: [], refusals: [refusal] };
}

/** The number of the next entry. */
export function nextSeq({ floor }: DecisionBuilder): number {
  return floor.seq + 1;
}

/** Numbers an entry, applies it and appends it. */
export function write(builder: DecisionBuilder, turn: string, entry: NewEntry): number {
  return append(builder, { ...entry, seq: nextSeq(builder), at: builder.now, turn } as Entry);
}

/** Applies and appends a numbered entry. */
export function append(builder: DecisionBuilder, entry: Entry): number {
  builder.entries.push(entry);
  builder.floor = apply(builder.floor, entry);
  return entry.seq;
}

/** An origin for events of the floor itself: never delegated, and never counted as an agent's. */
export function asFloor(
  builder: DecisionBuilder,
  { turn, depth, causedBy }: Pick<Origin, "turn" | "depth" | "causedBy">,
): Origin {
  return { speakerUri: builder.floor.self.speakerUri, turn, depth, causedBy, withheld: [] };
}

export function later(now: string, ms: number): string {
  return new Date(Date.parse(now) + ms).toISOString();
}
