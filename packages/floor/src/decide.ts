import type { FloorEvent } from "@plenary/protocol";
import { objectionToCommand } from "./commands/command-authority.ts";
import { onCommand } from "./commands/run-command.ts";
import { onConvenerMissed, onHeldDeadline, releaseParked } from "./convener/delegation.ts";
import { grantNewcomer, join, untrustedNewcomer } from "./conversants/join.ts";
import { boundElsewhereProblem } from "./conversants/speaker-binding.ts";
import {
  type Decision,
  type DecisionBuilder,
  finishDecision,
  nextSeq,
  type Origin,
  refuseAll,
  startDecision,
} from "./decision-builder.ts";
import { onAnswer } from "./delivery/answer.ts";
import { resumeTurns, type TurnPosition, turnOf } from "./events/loop-guard.ts";
import { onQuestionTimeout } from "./events/question-timeout.ts";
import { newEventsIn, originFacts, recordEnvelope } from "./events/record-envelope.ts";
import { hasOnlyUndeliverableWhispers } from "./events/validate-event.ts";
import { whispererOf } from "./events/whisper-answer.ts";
import { convenerOf, type Floor, openDelivery, type Seat, seatNamed } from "./floor.ts";
import type { EnvelopeInput, Input, TimerInput } from "./input.ts";
import { routeOrPark } from "./route.ts";

/** Decides what happens next, and why. Pure: the next floor is the fold of the entries. */
export function decide(floor: Floor, input: Input, now: string): Decision {
  const barred = input.kind === "command" ? objectionToCommand(floor, input) : undefined;
  if (barred !== undefined) return refuseAll(floor, barred);
  if (floor.isClosed && !isErasing(input)) {
    return refuseAll(floor, { because: "ending/closed", status: 409, problem: "the conversation has ended" });
  }
  switch (input.kind) {
    case "envelope":
      return onEnvelope(floor, input, now);
    case "answer": {
      const builder = startDecision(floor, now, input.envelope?.events ?? []);
      onAnswer(builder, input);
      return finish(builder);
    }
    case "timer": {
      const builder = startDecision(floor, now, []);
      onTimer(builder, input);
      return finish(builder);
    }
    case "command": {
      const builder = startDecision(floor, now, []);
      const refused = onCommand(builder, input);
      return refused === undefined ? finish(builder) : refuseAll(floor, refused);
    }
  }
}

/** Erasure is allowed after the end too. */
function isErasing(input: Input): boolean {
  return input.kind === "command" && input.command.verb === "erase";
}

function finish(builder: DecisionBuilder): Decision {
  releaseParked(builder);
  return finishDecision(builder);
}

function onEnvelope(floor: Floor, input: EnvelopeInput, now: string): Decision {
  const { envelope, facts } = input;
  const seat = seatNamed(floor, envelope.sender.speakerUri);
  if (seat === undefined) {
    const problem = "the sender is not in this conversation";
    return refuseAll(floor, { because: "guard/not-seated", status: 403, problem });
  }
  if (untrustedNewcomer(floor, seat, envelope.sender.speakerUri, facts) !== undefined) {
    return refuseAll(floor, { because: "guard/bound-elsewhere", status: 403, problem: boundElsewhereProblem });
  }
  if (hasOnlyUndeliverableWhispers(floor, envelope.events)) {
    const problem = "a private utterance has exactly one addressee at the floor; this one has none or several";
    return refuseAll(floor, { index: 0, because: "1.8/private-addressee", status: 422, problem });
  }
  const { events, given, hasNewId } = newEventsIn(floor, envelope.events, facts);
  const builder = startDecision(floor, now, given);
  // All of it took effect before (D29).
  if (events.length === 0 && given.length > 0) return finishDecision(builder);
  const origin = receive(builder, input, seat, events, hasNewId);
  const joined = isJoining(floor, events) ? join(builder, origin, events) : undefined;
  routeOrPark(builder, origin, events);
  if (joined !== undefined) grantNewcomer(builder, origin, events);
  return finish(builder);
}

/**
 * Unlike the answer to an invite (D14), an unsolicited envelope of an invited conversant joins it only by acceptInvite or
 * an utterance: the guarded policy refuses its other events until then.
 */
function isJoining({ options }: Floor, events: readonly FloorEvent[]): boolean {
  if (options.policy === "spec" || events.length === 0) return true;
  return events.some(({ eventType }) => eventType === "acceptInvite" || eventType === "utterance");
}

function receive(
  builder: DecisionBuilder,
  input: EnvelopeInput,
  seat: Seat,
  events: readonly FloorEvent[],
  hasNewId: boolean,
): Origin {
  const { speakerUri } = seat.identification;
  const position = turnOf(builder.floor, seat, input);
  mayResume(builder, seat, events, position);
  const origin: Origin = {
    speakerUri,
    ...position,
    causedBy: nextSeq(builder),
    ...whispererOf(builder.floor, input.whisperer),
    ...originFacts(input.facts),
  };
  recordEnvelope(builder, origin, events, hasNewId ? "door/new-id" : "door/accepted", input);
  return origin;
}

/** D17: a person resumes the agents by any event of its own, the convener by an unsolicited grantFloor. */
function mayResume(
  builder: DecisionBuilder,
  seat: Seat,
  events: readonly FloorEvent[],
  { turn, isPassedOn }: TurnPosition,
): void {
  const { speakerUri } = seat.identification;
  if (seat.kind === "person" && isPassedOn !== true && events.length > 0)
    resumeTurns(builder, turn, { because: "loop/person-spoke" });
  else if (speakerUri === convenerOf(builder.floor) && events.some(({ eventType }) => eventType === "grantFloor")) {
    resumeTurns(builder, turn, { because: "loop/convener-resumed" });
  }
}

function onTimer(builder: DecisionBuilder, { id, question }: TimerInput): void {
  const colon = id.indexOf(":");
  const about = id.slice(colon + 1);
  switch (id.slice(0, colon)) {
    case "delegation":
      onDelegationDeadline(builder, about);
      return;
    case "held":
      onHeldDeadline(builder, Number(about));
      return;
    case "question":
      onQuestionTimeout(builder, question);
      return;
    default:
      throw new Error(`no timer is called ${id}`);
  }
}

function onDelegationDeadline(builder: DecisionBuilder, delivery: string): void {
  const open = openDelivery(builder.floor, delivery);
  if (open?.isDelegation !== true) return;
  builder.effects.push({ kind: "abort", delivery });
  onConvenerMissed(builder, open, "timeout", "convener/deadline");
}
