import type { Envelope, FloorEvent } from "@plenary/protocol";
import { onConvenerMissed, onDelegationAnswer } from "../convener/delegation.ts";
import {
  answererOf,
  answeringSeat,
  foreignNewcomer,
  grantNewcomer,
  isFree,
  isLateSharer,
  join,
} from "../conversants/join.ts";
import { rebindMoved } from "../conversants/speaker-binding.ts";
import { type Draft, type Origin, write } from "../decision-builder.ts";
import { factsOf, takeIn, writeReceived } from "../events/record-envelope.ts";
import { record } from "../events/record-event.ts";
import { answering } from "../events/whisper-answer.ts";
import { isGranted, type OpenDelivery, openDelivery, seatOf } from "../floor.ts";
import type { AnswerInput } from "../input.ts";
import { takeUp } from "../route.ts";
import { isAddressedSharer } from "../state/open-deliveries.ts";
import { onBoundElsewhere, onConversantMissed, onImpersonation, onUnsent } from "./missed-delivery.ts";

/** A delivery ended. Whoever comes second, answer or deadline, finds nothing open and changes nothing (D2). */
export function onAnswer(draft: Draft, input: AnswerInput): void {
  const { delivery, envelope, failure = "no-envelope" } = input;
  const open = openDelivery(draft.floor, delivery);
  if (open === undefined) {
    const turn = input.turn ?? `t${draft.floor.seq + 1}`;
    if (input.unsent !== undefined) onUnsent(draft, input, turn, input.unsent);
    else write(draft, turn, { kind: "late", because: "answer/late", audience: [], delivery });
  } else if (open.asker !== undefined) {
    onForwardedAnswer(draft, input, open, open.asker);
  } else if (envelope !== undefined) {
    onEnvelopeAnswer(draft, input, envelope, open);
  } else if (open.isDelegation) {
    onConvenerMissed(draft, open, failure, "convener/missed");
  } else {
    onConversantMissed(draft, open, { ...input, failure });
  }
}

function onEnvelopeAnswer(draft: Draft, input: AnswerInput, given: Envelope, open: OpenDelivery): void {
  const envelope = isLateSharer(draft.floor, open, given.sender.speakerUri) ? silenceOf(given, open) : given;
  const claimed = envelope.sender.speakerUri;
  const seat = answeringSeat(draft.floor, open, claimed);
  if (seat === undefined) throw new Error("a delivery is open only to who is here");
  const foreign = foreignNewcomer(draft.floor, seat, claimed, input.facts);
  if (foreign !== undefined) {
    if (open.isDelegation) onConvenerMissed(draft, open, "refused", "guard/bound-elsewhere");
    else onBoundElsewhere(draft, open, seat, foreign);
    return;
  }
  const speakerUri = rebindMoved(draft, input, envelope, open) ?? answererOf(draft, envelope, open, seat);
  if (speakerUri === undefined) {
    if (open.isDelegation) onConvenerMissed(draft, open, "refused", "guard/impersonation");
    else onImpersonation(draft, open);
    return;
  }
  const { events, hasNewId } = takeIn(draft.floor, envelope.events, input.facts);
  const { delivery } = input;
  const { turn, whisperer } = open;
  const isReceiver = seat.identification.speakerUri === open.to;
  const isAddressed = isReceiver ? open.isAddressed : isAddressedSharer(open, speakerUri);
  const parked = draft.floor.parked.find((one) => one.delivery === delivery);
  const depth = Math.max(open.depth, input.depth ?? 0);
  const because = hasNewId ? "door/new-id" : "answer/in-time";
  const about = { speakerUri, turn, depth, ...answering(draft.floor, whisperer), ...factsOf(input.facts) };
  const answered = { answers: delivery, ...(isReceiver && silentTo(open, envelope.events)) };
  const causedBy = writeReceived(draft, about, events, because, input, answered);
  const origin: Origin = { ...about, causedBy, isAddressed, isAnswer: true };
  const joined = join(draft, origin, events);
  if (parked === undefined) takeUp(draft, origin, events);
  else onDelegationAnswer(draft, origin, parked, events);
  if (joined !== undefined) grantNewcomer(draft, origin, events);
  explainSilence(draft, origin, answered.silentTo);
}

/** Words of one that has left come late: its address has answered nothing. */
function silenceOf(envelope: Envelope, { to: speakerUri }: OpenDelivery): Envelope {
  return { ...envelope, sender: { speakerUri }, events: [] };
}

/** D15: what an outsider answers goes to everyone, addressed to the one who asked; nothing else of it counts. */
function onForwardedAnswer(draft: Draft, input: AnswerInput, open: OpenDelivery, asker: string): void {
  const { floor } = draft;
  const { delivery, envelope, failure = "no-envelope", detail } = input;
  const { turn, depth, to } = open;
  const audience = [asker];
  if (envelope === undefined) {
    const because = `delivery/${failure}` as const;
    const about = { delivery, speakerUri: to, failure, ...(detail !== undefined && { detail }) };
    write(draft, turn, { kind: "missed", because, audience, ...about });
    return;
  }
  const { speakerUri } = envelope.sender;
  if (!isFree(floor, speakerUri)) {
    const because = "guard/impersonation";
    write(draft, turn, { kind: "missed", because, audience, delivery, speakerUri: to, failure: "refused" });
    return;
  }
  const { events } = envelope;
  const about = { speakerUri, turn, depth, withheld: [], ...answering(floor, open.whisperer) };
  // It is no conversant: nothing is remembered of it, and what it says besides is for nobody's eyes.
  const causedBy = writeReceived(draft, about, events, "answer/forwarded", {}, { answers: delivery, audience: [] });
  const origin: Origin = { ...about, causedBy };
  const sender = { speakerUri, ...(open.serviceUrl && { serviceUrl: open.serviceUrl }) };
  for (const event of events) {
    if (event.eventType !== "publishManifests") continue;
    const facts = { target: asker, sender };
    record(draft, origin, { ...event, to: { speakerUri: asker } }, "2.2/publishManifests/elsewhere", facts);
  }
}

/** Utterances answered with nothing, in a row, after which the one who asked is shown why. */
const silencesMax = 2;

/** Who asked, if the answer to it holds nothing. */
export function silentTo({ askedBy }: OpenDelivery, events: readonly FloorEvent[]): { silentTo?: string } {
  return askedBy === undefined || events.length > 0 ? {} : { silentTo: askedBy };
}

/** D23: a person who asked in vain learns that the other one has the floor and may wait to be given it. */
export function explainSilence(draft: Draft, origin: Origin, asker: string | undefined): void {
  const { floor } = draft;
  const { speakerUri, turn, causedBy } = origin;
  if (asker === undefined || seatOf(floor, asker)?.kind !== "person" || !isGranted(floor, speakerUri)) return;
  if (seatOf(floor, speakerUri)?.silences !== silencesMax) return;
  write(draft, turn, { kind: "silent", because: "2.1/silent", causedBy, audience: [asker], speakerUri });
}
