import type { FloorEvent } from "@plenary/protocol";
import { apply } from "./apply.ts";
import { conversationOf } from "./delivery/recipients.ts";
import type { DeliverEffect, Effect, Refusal } from "./effect.ts";
import type { Entry, Unnumbered } from "./entry.ts";
import type { Floor } from "./floor.ts";
import type { Because } from "./rules.ts";

/** What a decision leaves: lines for the log, work for the shell, and what was refused. `floor` is the fold of the entries. */
export type Decision = { floor: Floor; entries: Entry[]; effects: Effect[]; refusals: Refusal[] };

/** On whose behalf events are being worked through, and what they are part of. */
export type Origin = {
  speakerUri: string;
  turn: string;
  depth: number;
  /** The entry that brought these events in. */
  causedBy: number;
  /** Answers something said to it, so it may speak without the floor, once (D7). */
  isAddressed?: boolean;
  /** The events answer a delivery that was open. */
  isAnswer?: true;
  /** Of a person's seat: they came over other floors, or by an agent's credential (D17). */
  isPassedOn?: true;
  /** Answers a private utterance of this conversant (D13'). */
  whisperer?: string;
  withheld: readonly string[];
  whispered?: readonly string[];
  boundElsewhere?: readonly string[];
  moved?: readonly string[];
  /** The convener returned the event (D10). */
  approvedBy?: string;
  /** The convener did not answer in time: the column without one decides (D11). */
  isUnconvened?: true;
};

/** A decision in the making. Lives only inside one call of `decide`. */
export type Draft = {
  floor: Floor;
  readonly now: string;
  /** The events of the input, for whom refusals are counted. */
  readonly given: readonly FloorEvent[];
  readonly entries: Entry[];
  readonly effects: Effect[];
  readonly refusals: Refusal[];
  /** The envelopes being put together, in the order begun. */
  readonly batches: DeliverEffect[];
  /** The newest envelope for each recipient, once there is a second event to put somewhere. */
  latest: Map<string, DeliverEffect> | undefined;
};

export function startDraft(floor: Floor, now: string, given: readonly FloorEvent[]): Draft {
  return { floor, now, given, entries: [], effects: [], refusals: [], batches: [], latest: undefined };
}

export function finishDraft({ floor, entries, effects, refusals, batches }: Draft): Decision {
  if (batches.length > 0) {
    const conversation = conversationOf(floor);
    for (const batch of batches) {
      batch.conversation = conversation;
      effects.push(batch);
    }
  }
  return { floor, entries, effects, refusals };
}

/** Nothing is applied: the whole input is refused. */
export function refuseAll(floor: Floor, refusal: Refusal & { because: Because }): Decision {
  return { floor, entries: [], effects: [], refusals: [refusal] };
}

/** Numbers an entry, applies it and keeps it. */
export function write(draft: Draft, turn: string, entry: Unnumbered): number {
  return append(draft, { ...entry, seq: draft.floor.seq + 1, at: draft.now, turn } as Entry);
}

/** Applies and keeps an entry that has its number. */
export function append(draft: Draft, entry: Entry): number {
  draft.entries.push(entry);
  draft.floor = apply(draft.floor, entry);
  return entry.seq;
}

/** Speaks as the floor itself: never delegated, and never counted as an agent. */
export function asFloor(draft: Draft, { turn, depth, causedBy }: Pick<Origin, "turn" | "depth" | "causedBy">): Origin {
  return { speakerUri: draft.floor.self.speakerUri, turn, depth, causedBy, withheld: [] };
}

export function later(now: string, ms: number): string {
  return new Date(Date.parse(now) + ms).toISOString();
}
