import type { FloorEvent } from "@plenary/protocol";
import { objectionToCommander } from "./commands/command-authority.ts";
import { onCommand } from "./commands/run-command.ts";
import { onConvenerMissed, onHeldDeadline, releaseParked } from "./convener/delegation.ts";
import { foreignNewcomer, grantNewcomer, join } from "./conversants/join.ts";
import { boundElsewhere } from "./conversants/speaker-binding.ts";
import { type Decision, type Draft, finishDraft, type Origin, refuseAll, startDraft } from "./decision-builder.ts";
import { onAnswer } from "./delivery/answer.ts";
import { type Place, resumeTurns, turnOf } from "./events/loop-guard.ts";
import { onLapsed } from "./events/question-timeout.ts";
import { factsOf, takeIn, writeReceived } from "./events/record-envelope.ts";
import { isNothingButLostWhispers } from "./events/validate-event.ts";
import { answering } from "./events/whisper-answer.ts";
import { convenerOf, type Floor, openDelivery, type Seat, seatNamed } from "./floor.ts";
import type { EnvelopeInput, Input, TimerInput } from "./input.ts";
import { takeUp } from "./route.ts";

/** The floor manager's mind: what happens next, and why. Pure; the next floor is the fold of the entries. */
export function decide(floor: Floor, input: Input, now: string): Decision {
  const barred = input.kind === "command" ? objectionToCommander(floor, input) : undefined;
  if (barred !== undefined) return refuseAll(floor, barred);
  if (floor.isClosed && !isErasing(input)) {
    return refuseAll(floor, { because: "ending/closed", status: 409, problem: "the conversation has ended" });
  }
  switch (input.kind) {
    case "envelope":
      return onEnvelope(floor, input, now);
    case "answer": {
      const draft = startDraft(floor, now, input.envelope?.events ?? []);
      onAnswer(draft, input);
      return finish(draft);
    }
    case "timer": {
      const draft = startDraft(floor, now, []);
      onTimer(draft, input);
      return finish(draft);
    }
    case "command": {
      const draft = startDraft(floor, now, []);
      const refused = onCommand(draft, input);
      return refused === undefined ? finish(draft) : refuseAll(floor, refused);
    }
  }
}

/** What was said can be forgotten after the end too. */
function isErasing(input: Input): boolean {
  return input.kind === "command" && input.command.verb === "erase";
}

function finish(draft: Draft): Decision {
  releaseParked(draft);
  return finishDraft(draft);
}

function onEnvelope(floor: Floor, input: EnvelopeInput, now: string): Decision {
  const { envelope, facts } = input;
  const seat = seatNamed(floor, envelope.sender.speakerUri);
  if (seat === undefined) {
    const problem = "the sender is not in this conversation";
    return refuseAll(floor, { because: "guard/not-seated", status: 403, problem });
  }
  if (foreignNewcomer(floor, seat, envelope.sender.speakerUri, facts) !== undefined) {
    return refuseAll(floor, { because: "guard/bound-elsewhere", status: 403, problem: boundElsewhere });
  }
  if (isNothingButLostWhispers(floor, envelope.events)) {
    const problem = "a private utterance has exactly one addressee at the floor; this one has none or several";
    return refuseAll(floor, { index: 0, because: "1.8/private-addressee", status: 422, problem });
  }
  const { events, given, hasNewId } = takeIn(floor, envelope.events, facts);
  const draft = startDraft(floor, now, given);
  // All of it took effect before (D29).
  if (events.length === 0 && given.length > 0) return finishDraft(draft);
  const origin = receive(draft, input, seat, events, hasNewId);
  const joined = isJoining(floor, events) ? join(draft, origin, events) : undefined;
  takeUp(draft, origin, events);
  if (joined !== undefined) grantNewcomer(draft, origin, events);
  return finish(draft);
}

/**
 * Unlike the answer to an invite (D14), what an invited conversant sends of its own accord joins it only if it says so or
 * speaks: the guarded policy refuses it the rest until then.
 */
function isJoining({ options }: Floor, events: readonly FloorEvent[]): boolean {
  if (options.policy === "spec" || events.length === 0) return true;
  return events.some(({ eventType }) => eventType === "acceptInvite" || eventType === "utterance");
}

function receive(
  draft: Draft,
  input: EnvelopeInput,
  seat: Seat,
  events: readonly FloorEvent[],
  hasNewId: boolean,
): Origin {
  const { speakerUri } = seat.identification;
  const place = turnOf(draft.floor, seat, input);
  mayResume(draft, seat, events, place);
  const about = { speakerUri, ...place, ...answering(draft.floor, input.whisperer), ...factsOf(input.facts) };
  const causedBy = writeReceived(draft, about, events, hasNewId ? "door/new-id" : "door/accepted", input);
  return { ...about, causedBy };
}

/** D17: a person resumes by any event of its own, the convener by giving somebody the floor of its own accord. */
function mayResume(draft: Draft, seat: Seat, events: readonly FloorEvent[], { turn, isPassedOn }: Place): void {
  const { speakerUri } = seat.identification;
  if (seat.kind === "person" && isPassedOn !== true && events.length > 0)
    resumeTurns(draft, turn, { because: "loop/person-spoke" });
  else if (speakerUri === convenerOf(draft.floor) && events.some(({ eventType }) => eventType === "grantFloor")) {
    resumeTurns(draft, turn, { because: "loop/convener-resumed" });
  }
}

function onTimer(draft: Draft, { id, question }: TimerInput): void {
  const colon = id.indexOf(":");
  const about = id.slice(colon + 1);
  switch (id.slice(0, colon)) {
    case "delegation":
      onDelegationDeadline(draft, about);
      return;
    case "held":
      onHeldDeadline(draft, Number(about));
      return;
    case "question":
      onLapsed(draft, question);
      return;
    default:
      throw new Error(`no timer is called ${id}`);
  }
}

function onDelegationDeadline(draft: Draft, delivery: string): void {
  const open = openDelivery(draft.floor, delivery);
  if (open?.isDelegation !== true) return;
  draft.effects.push({ kind: "abort", delivery });
  onConvenerMissed(draft, open, "timeout", "convener/deadline");
}
