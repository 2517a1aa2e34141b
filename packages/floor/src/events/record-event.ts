import { type FloorEvent, isPrivate, type Sender } from "@plenary/protocol";
import { append, type Draft, type Origin } from "../decision-builder.ts";
import { signatureOf } from "../delivery/conversant-listing.ts";
import { beginBatch, joinBatch, mayJoin, type Outgoing, outgoing } from "../delivery/outgoing-envelopes.ts";
import { everyone, recipientsOf, resolve, viewFor } from "../delivery/recipients.ts";
import type { DeliveryFact, EventEntry } from "../entry.ts";
import { addressOf, type Floor, type Seat, type Sharer } from "../floor.ts";
import type { Because } from "../rules.ts";
import { quotaOf } from "./guard.ts";
import { isCounted, textMark } from "./loop-guard.ts";

/** What is known of the event beside itself. */
export type Facts = {
  target?: string;
  aborts?: readonly string[];
  isNotice?: true;
  /** Only these, whoever else is here. */
  recipients?: readonly Seat[];
  /** Only these see it, whoever hears it. */
  audience?: readonly string[];
  /** The answer to it is private to this conversant. */
  whisperer?: string;
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
    audience: facts.audience ?? audienceOf(floor, event, speakerUri, facts.target),
    sender: speakerUri,
    // The history in an invite may hold whispers, and this entry is for everyone (D16).
    event: viewFor(event, false, []),
    depth,
    deliveries: deliver(draft, origin, event, recipients, facts.sender),
  };
  if (facts.target !== undefined) entry.target = facts.target;
  if (facts.aborts !== undefined) entry.aborts = facts.aborts;
  if (facts.isNotice === true) entry.isNotice = true;
  if (facts.whisperer !== undefined) for (const fact of entry.deliveries) fact.whisperer = facts.whisperer;
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
  // People read the log; agents are sent envelopes (D24).
  const agents = recipients.filter(({ kind, identification }) => {
    return kind === "agent" && identification.speakerUri !== origin.approvedBy;
  });
  const sharers = sharersAmong(agents);
  for (const seat of agents) {
    const group = sharers?.get(seat);
    if (group !== undefined && receiverOf(group, targets, out) !== seat) continue;
    const fact = deliverTo(draft, out, event, seat, targets.includes(seat));
    if (group !== undefined) fact.also = alsoIn(group, seat, targets, event);
    deliveries.push(fact);
  }
  return deliveries;
}

/** Those who share their address with another one, each with all who do; an address is sent an event once. */
function sharersAmong(agents: readonly Seat[]): Map<Seat, Seat[]> | undefined {
  if (agents.length < 2) return undefined;
  const byAddress = new Map<string, Seat[]>();
  for (const seat of agents) {
    const address = addressOf(seat);
    if (address === "") continue;
    const there = byAddress.get(address);
    if (there === undefined) byAddress.set(address, [seat]);
    else there.push(seat);
  }
  if (byAddress.size === agents.length) return undefined;
  const groups = [...byAddress.values()].filter(({ length }) => length > 1);
  return new Map(groups.flatMap((group) => group.map((seat) => [seat, group] as const)));
}

/** In whose name it goes there: who is meant, else who is sent something already, as the invited is with its question. */
function receiverOf(group: readonly Seat[], targets: readonly Seat[], out: Outgoing): Seat | undefined {
  const meant = group.find((seat) => targets.includes(seat));
  return meant ?? group.find((seat) => mayJoin(out, seat.identification.speakerUri)) ?? group[0];
}

function alsoIn(group: readonly Seat[], receiver: Seat, targets: readonly Seat[], event: FloorEvent): Sharer[] {
  return group
    .filter((seat) => seat !== receiver)
    .map((seat): Sharer => {
      const to = seat.identification.speakerUri;
      return targets.includes(seat) && speaksTo.has(event.eventType) ? { to, isAddressed: true } : { to };
    });
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
  if (isTarget && event.eventType === "utterance") fact.isAsked = true;
  if (isPrivate(event)) fact.whisperer = out.origin.speakerUri;
  if (joined !== undefined) fact.isMore = true;
  return fact;
}

const speaksTo = new Set<FloorEvent["eventType"]>(["utterance", "grantFloor", "invite"]);
