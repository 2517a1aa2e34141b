import { type FloorEvent, isPrivate, type Sender } from "@plenary/protocol";
import { append, type DecisionBuilder, type Origin } from "../decision-builder.ts";
import { signatureOf } from "../delivery/conversant-listing.ts";
import {
  addToEnvelope,
  canAddTo,
  type OutgoingContext,
  outgoingContext,
  startEnvelope,
} from "../delivery/outgoing-envelopes.ts";
import { recipientsOf, resolve, viewFor } from "../delivery/recipients.ts";
import type { DeliveryFact, EventEntry } from "../entry.ts";
import { addressOf, type Seat, type Sharer } from "../floor.ts";
import type { Because } from "../rules.ts";
import { audienceOf } from "../visibility.ts";
import { quotaOf } from "./guard.ts";
import { isCounted, textFingerprint } from "./loop-guard.ts";

/** Details of an event entry. */
export type EventDetails = {
  target?: string;
  aborts?: readonly string[];
  isNotice?: true;
  /** Only these, instead of the recipients by the rules. */
  recipients?: readonly Seat[];
  /** Only these see the entry, instead of the audience by the rules. */
  audience?: readonly string[];
  /** The answer to it is private to this conversant. */
  whisperer?: string;
  /** The sender section, for an outsider. */
  sender?: Sender;
};

const noDetails: EventDetails = {};

/** Writes the entry of an event and adds the event to every recipient's envelope. */
export function recordEvent(
  builder: DecisionBuilder,
  origin: Origin,
  event: FloorEvent,
  because: Because,
  facts: EventDetails = noDetails,
): void {
  const { floor } = builder;
  const { speakerUri, turn, causedBy, depth, approvedBy } = origin;
  const recipients = facts.recipients ?? recipientsOf(floor, event, speakerUri);
  const entry: EventEntry = {
    seq: floor.seq + 1,
    at: builder.now,
    kind: "event",
    turn,
    causedBy,
    because,
    audience: facts.audience ?? audienceOf(floor, event, speakerUri, facts.target),
    sender: speakerUri,
    // The history in an invite may hold whispers, and this entry is for everyone (D16).
    event: viewFor(event, false, []),
    depth,
    deliveries: deliver(builder, origin, event, recipients, facts.sender),
  };
  if (facts.target !== undefined) entry.target = facts.target;
  if (facts.aborts !== undefined) entry.aborts = facts.aborts;
  if (facts.isNotice === true) entry.isNotice = true;
  if (facts.whisperer !== undefined) for (const fact of entry.deliveries) fact.whisperer = facts.whisperer;
  if (approvedBy !== undefined) entry.approvedBy = approvedBy;
  if (isCounted(floor, event, origin)) {
    entry.isAgents = true;
    const said = textFingerprint(floor, event, origin);
    if (said !== undefined) entry.said = said;
  }
  const quota = quotaOf(floor, event, speakerUri);
  if (quota !== undefined) entry.quota = quota;
  append(builder, entry);
}

function deliver(
  builder: DecisionBuilder,
  origin: Origin,
  event: FloorEvent,
  recipients: readonly Seat[],
  sender: Sender = signatureOf(builder.floor, origin.speakerUri),
): DeliveryFact[] {
  const targets = resolve(builder.floor, event.to);
  const out = outgoingContext(builder, origin, sender);
  const deliveries: DeliveryFact[] = [];
  // People read the log; agents receive envelopes (D24).
  const agents = recipients.filter(({ kind, identification }) => {
    return kind === "agent" && identification.speakerUri !== origin.approvedBy;
  });
  const sharers = sharersAmong(agents);
  for (const seat of agents) {
    const group = sharers?.get(seat);
    if (group !== undefined && receiverOf(group, targets, out) !== seat) continue;
    const fact = deliverTo(builder, out, event, seat, targets.includes(seat));
    if (group !== undefined) fact.also = alsoIn(group, seat, targets, event);
    deliveries.push(fact);
  }
  return deliveries;
}

/** Agents that share an address, each with its group; an address receives an event once. */
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

/** The recipient of a shared address: the addressee, else the one with an envelope already, such as the invited agent. */
function receiverOf(group: readonly Seat[], targets: readonly Seat[], out: OutgoingContext): Seat | undefined {
  const meant = group.find((seat) => targets.includes(seat));
  return meant ?? group.find((seat) => canAddTo(out, seat.identification.speakerUri)) ?? group[0];
}

function alsoIn(group: readonly Seat[], receiver: Seat, targets: readonly Seat[], event: FloorEvent): Sharer[] {
  return group
    .filter((seat) => seat !== receiver)
    .map((seat): Sharer => {
      const to = seat.identification.speakerUri;
      return targets.includes(seat) && speaksTo.has(event.eventType) ? { to, isAddressed: true } : { to };
    });
}

function deliverTo(
  builder: DecisionBuilder,
  out: OutgoingContext,
  event: FloorEvent,
  seat: Seat,
  isTarget: boolean,
): DeliveryFact {
  const { speakerUri, serviceUrl } = seat.identification;
  const isInvite = isTarget && event.eventType === "invite";
  const view = viewFor(event, isTarget, out.origin.withheld);
  const to = { speakerUri, serviceUrl };
  const joined = addToEnvelope(out, to, view, isInvite);
  const { delivery: id } = joined ?? startEnvelope(builder, out, to, view, { isInvite, isDelegation: false });
  const fact: DeliveryFact = { id, to: speakerUri };
  if (isInvite) fact.isInvite = true;
  if (isTarget && speaksTo.has(event.eventType)) fact.isAddressed = true;
  if (isTarget && event.eventType === "utterance") fact.isAsked = true;
  if (isPrivate(event)) fact.whisperer = out.origin.speakerUri;
  if (joined !== undefined) fact.isMore = true;
  return fact;
}

const speaksTo = new Set<FloorEvent["eventType"]>(["utterance", "grantFloor", "invite"]);
