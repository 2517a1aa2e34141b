import { type FloorEvent, isPrivate, type Sender } from "@plenary/protocol";
import { beginBatch, joinBatch, type Outgoing, outgoing, signatureOf } from "./batch.ts";
import type { Because } from "./because.ts";
import { append, type Draft, type Origin } from "./draft.ts";
import type { DeliveryFact, EventEntry } from "./entry.ts";
import type { Floor, Seat } from "./floor.ts";
import { quotaOf } from "./guard.ts";
import { isCounted, textMark } from "./loop.ts";
import { everyone, recipientsOf, resolve, viewFor } from "./recipients.ts";

/** What is known of the event beside itself. */
export type Facts = {
  target?: string;
  aborts?: readonly string[];
  isNotice?: true;
  /** Only these, whoever else is here. */
  recipients?: readonly Seat[];
  /** How somebody who is not at the floor signs. */
  sender?: Sender;
};

const none: Facts = {};

/** Writes the entry and hands the event to every recipient's envelope. */
export function record(draft: Draft, origin: Origin, event: FloorEvent, because: Because, facts: Facts = none): void {
  const { floor } = draft;
  const { speakerUri, turn, causedBy, depth, approvedBy } = origin;
  const recipients = facts.recipients ?? recipientsOf(floor, event, speakerUri);
  const entry: EventEntry = {
    seq: floor.seq + 1,
    at: draft.now,
    kind: "event",
    turn,
    causedBy,
    because,
    audience: audienceOf(floor, event, speakerUri, facts.target),
    sender: speakerUri,
    // The history in an invite may hold whispers, and this entry is for everyone (D16).
    event: viewFor(event, false, []),
    depth,
    deliveries: deliver(draft, origin, event, recipients, facts.sender),
  };
  if (facts.target !== undefined) entry.target = facts.target;
  if (facts.aborts !== undefined) entry.aborts = facts.aborts;
  if (facts.isNotice === true) entry.isNotice = true;
  if (approvedBy !== undefined) entry.approvedBy = approvedBy;
  if (isCounted(floor, event, origin)) {
    entry.isAgents = true;
    const said = textMark(floor, event, origin);
    if (said !== undefined) entry.said = said;
  }
  const quota = quotaOf(floor, event, speakerUri);
  if (quota !== undefined) entry.quota = quota;
  append(draft, entry);
}

function audienceOf(floor: Floor, event: FloorEvent, sender: string, target: string | undefined): string[] {
  if (!isPrivate(event)) return everyone(floor);
  return target === undefined || target === sender ? [sender] : [sender, target];
}

function deliver(
  draft: Draft,
  origin: Origin,
  event: FloorEvent,
  recipients: readonly Seat[],
  sender: Sender = signatureOf(draft.floor, origin.speakerUri),
): DeliveryFact[] {
  const targets = resolve(draft.floor, event.to);
  const out = outgoing(draft, origin, sender);
  const deliveries: DeliveryFact[] = [];
  for (const seat of recipients) {
    // People read the log; agents are sent envelopes (D24).
    if (seat.kind === "person" || seat.identification.speakerUri === origin.approvedBy) continue;
    deliveries.push(deliverTo(draft, out, event, seat, targets.includes(seat)));
  }
  return deliveries;
}

function deliverTo(draft: Draft, out: Outgoing, event: FloorEvent, seat: Seat, isTarget: boolean): DeliveryFact {
  const { speakerUri, serviceUrl } = seat.identification;
  const isInvite = isTarget && event.eventType === "invite";
  const view = viewFor(event, isTarget, out.origin.withheld);
  const to = { speakerUri, serviceUrl };
  const joined = joinBatch(out, to, view, isInvite);
  const { delivery: id } = joined ?? beginBatch(draft, out, to, view, { isInvite, isDelegation: false });
  const fact: DeliveryFact = { id, to: speakerUri };
  if (isInvite) fact.isInvite = true;
  if (isTarget && speaksTo.has(event.eventType)) fact.isAddressed = true;
  if (joined !== undefined) fact.isMore = true;
  return fact;
}

const speaksTo = new Set<FloorEvent["eventType"]>(["utterance", "grantFloor", "invite"]);
