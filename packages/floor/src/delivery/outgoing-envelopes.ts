import type { Conversation, FloorEvent, Sender } from "@plenary/protocol";
import type { DecisionBuilder, Origin } from "../decision-builder.ts";
import type { DeliverEffect } from "../effect.ts";
import { type OpenDelivery, turnState } from "../floor.ts";

/** Replaced when the decision is complete, so that every envelope has the same conversation section. */
const notYet: Conversation = { id: "" };

export type Recipient = { speakerUri: string; serviceUrl: string };

/** The sender of outgoing events, and the envelopes that its events may be added to. */
export type OutgoingContext = {
  origin: Origin;
  sender: Sender;
  /** The newest envelope of each recipient; undefined when there is none. */
  earlier: Map<string, DeliverEffect> | undefined;
};

export function outgoingContext(builder: DecisionBuilder, origin: Origin, sender: Sender): OutgoingContext {
  if (builder.latest === undefined && builder.envelopes.length > 0) {
    builder.latest = new Map(builder.envelopes.map((envelope) => [envelope.to.speakerUri, envelope]));
  }
  return { origin, sender, earlier: builder.latest };
}

/**
 * Puts an event into the envelope its recipient will get. Consecutive events of one sender share an envelope, so that an
 * invite and its utterance, or a grant and its whisper, arrive together (D22).
 */
export function addToEnvelope(
  { origin, sender, earlier }: OutgoingContext,
  to: Recipient,
  event: FloorEvent,
  isInvite: boolean,
): DeliverEffect | undefined {
  const envelope = earlier?.get(to.speakerUri);
  if (envelope === undefined || !canAddTo({ origin, sender, earlier }, to.speakerUri)) return undefined;
  envelope.events.push(event);
  envelope.isInvite ||= isInvite;
  envelope.depth = Math.max(envelope.depth, origin.depth + 1);
  return envelope;
}

/** True when the newest envelope of this recipient takes further events of the sender. */
export function canAddTo({ origin, sender, earlier }: OutgoingContext, speakerUri: string): boolean {
  const envelope = earlier?.get(speakerUri);
  if (envelope === undefined || envelope.isDelegation || envelope.turn !== origin.turn) return false;
  return envelope.sender.speakerUri === sender.speakerUri;
}

type Flags = { isInvite: boolean; isDelegation: boolean };

export function startEnvelope(
  builder: DecisionBuilder,
  { origin, sender }: OutgoingContext,
  to: Recipient,
  event: FloorEvent,
  { isInvite, isDelegation }: Flags,
): DeliverEffect {
  const envelope: DeliverEffect = {
    kind: "deliver",
    // Derived from the position in the log, so that deciding again after a conflict is safe (D1).
    delivery: `d${builder.floor.seq + 1}.${builder.envelopes.length}`,
    to,
    sender,
    conversation: notYet,
    events: [event],
    turn: origin.turn,
    depth: origin.depth + 1,
    isInvite,
    isDelegation,
  };
  const floors = turnState(builder.floor, origin.turn)?.floors;
  if (floors !== undefined) envelope.floors = floors;
  builder.envelopes.push(envelope);
  builder.latest?.set(to.speakerUri, envelope);
  return envelope;
}

/** Open deliveries that match and were not started by this decision. */
export function deliveriesInFlight(builder: DecisionBuilder, isMeant: (open: OpenDelivery) => boolean): string[] {
  const begun = new Set(builder.envelopes.map(({ delivery }) => delivery));
  return builder.floor.open.filter((open) => isMeant(open) && !begun.has(open.id)).map(({ id }) => id);
}

/** A delivery shared with others at its address is not stopped; an invite is never shared. */
export function isOnlyFor({ to, also = [], isInvite }: OpenDelivery, speakerUri: string): boolean {
  return to === speakerUri && (isInvite || also.every(({ isGone }) => isGone === true));
}

export function abort(builder: DecisionBuilder, deliveries: readonly string[]): void {
  for (const delivery of deliveries) builder.effects.push({ kind: "abort", delivery });
}
