import type { Conversation, FloorEvent, Sender } from "@plenary/protocol";
import type { Draft, Origin } from "../decision-builder.ts";
import type { DeliverEffect } from "../effect.ts";
import { type OpenDelivery, turnState } from "../floor.ts";

/** Filled in when the decision is complete, so that everybody hears of the same conversation. */
const notYet: Conversation = { id: "" };

export type Recipient = { speakerUri: string; serviceUrl: string };

/** What is said by one and goes to some: the envelopes it joins or begins. */
export type Outgoing = {
  origin: Origin;
  sender: Sender;
  /** The newest envelope for each recipient; undefined when none was begun before. */
  earlier: Map<string, DeliverEffect> | undefined;
};

export function outgoing(draft: Draft, origin: Origin, sender: Sender): Outgoing {
  if (draft.latest === undefined && draft.batches.length > 0) {
    draft.latest = new Map(draft.batches.map((batch) => [batch.to.speakerUri, batch]));
  }
  return { origin, sender, earlier: draft.latest };
}

/**
 * Puts an event into the envelope its recipient will get. Consecutive events of one sender share an envelope, so that an
 * invite and its utterance, or a grant and its whisper, arrive together (D22).
 */
export function joinBatch(
  { origin, sender, earlier }: Outgoing,
  to: Recipient,
  event: FloorEvent,
  isInvite: boolean,
): DeliverEffect | undefined {
  const batch = earlier?.get(to.speakerUri);
  if (batch === undefined || !mayJoin({ origin, sender, earlier }, to.speakerUri)) return undefined;
  batch.events.push(event);
  batch.isInvite ||= isInvite;
  batch.depth = Math.max(batch.depth, origin.depth + 1);
  return batch;
}

/** Whether an envelope was begun for this one that the next event of the sender goes into. */
export function mayJoin({ origin, sender, earlier }: Outgoing, speakerUri: string): boolean {
  const batch = earlier?.get(speakerUri);
  if (batch === undefined || batch.isDelegation || batch.turn !== origin.turn) return false;
  return batch.sender.speakerUri === sender.speakerUri;
}

type Flags = { isInvite: boolean; isDelegation: boolean };

export function beginBatch(
  draft: Draft,
  { origin, sender }: Outgoing,
  to: Recipient,
  event: FloorEvent,
  { isInvite, isDelegation }: Flags,
): DeliverEffect {
  const batch: DeliverEffect = {
    kind: "deliver",
    // Made of the place in the log, so that deciding again after a conflict is safe (D1).
    delivery: `d${draft.floor.seq + 1}.${draft.batches.length}`,
    to,
    sender,
    conversation: notYet,
    events: [event],
    turn: origin.turn,
    depth: origin.depth + 1,
    isInvite,
    isDelegation,
  };
  const floors = turnState(draft.floor, origin.turn)?.floors;
  if (floors !== undefined) batch.floors = floors;
  draft.batches.push(batch);
  draft.latest?.set(to.speakerUri, batch);
  return batch;
}

/** What is under way to whom, and was not begun by this very decision. */
export function underWay(draft: Draft, isMeant: (open: OpenDelivery) => boolean): string[] {
  const begun = new Set(draft.batches.map(({ delivery }) => delivery));
  return draft.floor.open.filter((open) => isMeant(open) && !begun.has(open.id)).map(({ id }) => id);
}

/** What others at its address hear too is not stopped with it; an invite is its own alone. */
export function isOnlyFor({ to, also = [], isInvite }: OpenDelivery, speakerUri: string): boolean {
  return to === speakerUri && (isInvite || also.every(({ isGone }) => isGone === true));
}

export function abort(draft: Draft, deliveries: readonly string[]): void {
  for (const delivery of deliveries) draft.effects.push({ kind: "abort", delivery });
}
