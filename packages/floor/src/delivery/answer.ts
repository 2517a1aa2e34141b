import type { Envelope, FloorEvent } from "@plenary/protocol";
import { onConvenerMissed, onDelegationAnswer } from "../convener/delegation.ts";
import {
  answererOf,
  answeringSeat,
  grantNewcomer,
  isFree,
  isLateSharer,
  join,
  untrustedNewcomer,
} from "../conversants/join.ts";
import { rebindMoved } from "../conversants/speaker-binding.ts";
import { type DecisionBuilder, nextSeq, type Origin, write } from "../decision-builder.ts";
import { newEventsIn, originFacts, recordEnvelope } from "../events/record-envelope.ts";
import { recordEvent } from "../events/record-event.ts";
import { whispererOf } from "../events/whisper-answer.ts";
import { isGranted, type OpenDelivery, openDelivery, seatOf } from "../floor.ts";
import type { AnswerInput } from "../input.ts";
import { routeOrPark } from "../route.ts";
import { isAddressedSharer } from "../state/open-deliveries.ts";
import { onBoundElsewhere, onConversantMissed, onImpersonation, onUnsent } from "./missed-delivery.ts";

/** A delivery ended. The second of answer and deadline finds nothing open and changes nothing (D2). */
export function onAnswer(builder: DecisionBuilder, input: AnswerInput): void {
  const { delivery, envelope, failure = "no-envelope" } = input;
  const open = openDelivery(builder.floor, delivery);
  if (open === undefined) {
    const turn = input.turn ?? `t${builder.floor.seq + 1}`;
    if (input.unsent !== undefined) onUnsent(builder, input, turn, input.unsent);
    else write(builder, turn, { kind: "late", because: "answer/late", audience: [], delivery });
  } else if (open.asker !== undefined) {
    onForwardedAnswer(builder, input, open, open.asker);
  } else if (envelope !== undefined) {
    onEnvelopeAnswer(builder, input, envelope, open);
  } else if (open.isDelegation) {
    onConvenerMissed(builder, open, failure, "convener/missed");
  } else {
    onConversantMissed(builder, open, { ...input, failure });
  }
}

function onEnvelopeAnswer(builder: DecisionBuilder, input: AnswerInput, given: Envelope, open: OpenDelivery): void {
  const envelope = isLateSharer(builder.floor, open, given.sender.speakerUri) ? emptyAnswer(given, open) : given;
  const claimed = envelope.sender.speakerUri;
  const seat = answeringSeat(builder.floor, open, claimed);
  if (seat === undefined) throw new Error("a delivery is open only to who is here");
  const foreign = untrustedNewcomer(builder.floor, seat, claimed, input.facts);
  if (foreign !== undefined) {
    if (open.isDelegation) onConvenerMissed(builder, open, "refused", "guard/bound-elsewhere");
    else onBoundElsewhere(builder, open, seat, foreign);
    return;
  }
  const speakerUri = rebindMoved(builder, input, envelope, open) ?? answererOf(builder, envelope, open, seat);
  if (speakerUri === undefined) {
    if (open.isDelegation) onConvenerMissed(builder, open, "refused", "guard/impersonation");
    else onImpersonation(builder, open);
    return;
  }
  const { events, hasNewId } = newEventsIn(builder.floor, envelope.events, input.facts);
  const { delivery } = input;
  const { turn, whisperer } = open;
  const isReceiver = seat.identification.speakerUri === open.to;
  const isAddressed = isReceiver ? open.isAddressed : isAddressedSharer(open, speakerUri);
  const parked = builder.floor.parked.find((one) => one.delivery === delivery);
  const depth = Math.max(open.depth, input.depth ?? 0);
  const because = hasNewId ? "door/new-id" : "answer/in-time";
  const origin: Origin = {
    speakerUri,
    turn,
    depth,
    causedBy: nextSeq(builder),
    isAddressed,
    isAnswer: true,
    ...whispererOf(builder.floor, whisperer),
    ...originFacts(input.facts),
  };
  const answered = { answers: delivery, ...(isReceiver && silentTo(open, envelope.events)) };
  recordEnvelope(builder, origin, events, because, input, answered);
  const joined = join(builder, origin, events);
  if (parked === undefined) routeOrPark(builder, origin, events);
  else onDelegationAnswer(builder, origin, parked, events);
  if (joined !== undefined) grantNewcomer(builder, origin, events);
  explainSilence(builder, origin, answered.silentTo);
}

/** An answer by a speaker that has left counts as an empty answer of its address. */
function emptyAnswer(envelope: Envelope, { to: speakerUri }: OpenDelivery): Envelope {
  return { ...envelope, sender: { speakerUri }, events: [] };
}

/** D15: an outsider's publishManifests goes to everyone, addressed to the asker. Its other events have no effect. */
function onForwardedAnswer(builder: DecisionBuilder, input: AnswerInput, open: OpenDelivery, asker: string): void {
  const { floor } = builder;
  const { delivery, envelope, failure = "no-envelope", detail } = input;
  const { turn, depth, to } = open;
  const audience = [asker];
  if (envelope === undefined) {
    const because = `delivery/${failure}` as const;
    const about = { delivery, speakerUri: to, failure, ...(detail !== undefined && { detail }) };
    write(builder, turn, { kind: "missed", because, audience, ...about });
    return;
  }
  const { speakerUri } = envelope.sender;
  if (!isFree(floor, speakerUri)) {
    const because = "guard/impersonation";
    write(builder, turn, { kind: "missed", because, audience, delivery, speakerUri: to, failure: "refused" });
    return;
  }
  const { events } = envelope;
  const causedBy = nextSeq(builder);
  const origin: Origin = { speakerUri, turn, depth, causedBy, withheld: [], ...whispererOf(floor, open.whisperer) };
  // An outsider is no conversant: the floor keeps no state for it, and its other events are shown to no one.
  recordEnvelope(builder, origin, events, "answer/forwarded", {}, { answers: delivery, audience: [] });
  const sender = { speakerUri, ...(open.serviceUrl && { serviceUrl: open.serviceUrl }) };
  for (const event of events) {
    if (event.eventType !== "publishManifests") continue;
    const facts = { target: asker, sender };
    recordEvent(builder, origin, { ...event, to: { speakerUri: asker } }, "2.2/publishManifests/elsewhere", facts);
  }
}

/** After so many unanswered utterances in a row, the asker sees an explanation. */
const silencesMax = 2;

/** The asker, if the answer is empty. */
function silentTo({ askedBy }: OpenDelivery, events: readonly FloorEvent[]): { silentTo?: string } {
  return askedBy === undefined || events.length > 0 ? {} : { silentTo: askedBy };
}

/** D23: a person whose utterances were not answered learns that the agent may wait for grantFloor. */
function explainSilence(builder: DecisionBuilder, origin: Origin, asker: string | undefined): void {
  const { floor } = builder;
  const { speakerUri, turn, causedBy } = origin;
  if (asker === undefined || seatOf(floor, asker)?.kind !== "person" || !isGranted(floor, speakerUri)) return;
  if (seatOf(floor, speakerUri)?.silences !== silencesMax) return;
  write(builder, turn, { kind: "silent", because: "2.1/silent", causedBy, audience: [asker], speakerUri });
}
