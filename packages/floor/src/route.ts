import { type FloorEvent, isPrivate } from "@plenary/protocol";
import { delegate, park, parkedMax, unpark } from "./convener/parked-envelopes.ts";
import { asFloor, type DecisionBuilder, type Origin } from "./decision-builder.ts";
import { resolve, withFocalAgent } from "./delivery/recipients.ts";
import { objectionTo, objectionToSender } from "./events/guard.ts";
import { isFirstReply, loopLimit, pauseTurn } from "./events/loop-guard.ts";
import { recordEvent } from "./events/record-event.ts";
import { refuse } from "./events/refuse.ts";
import { forward, takeEffect } from "./events/take-effect.ts";
import { validateEvent } from "./events/validate-event.ts";
import { asPrivateAnswer } from "./events/whisper-answer.ts";
import { convenerOf, type Floor, isGranted, seatOf } from "./floor.ts";
import type { Because } from "./rules.ts";
import { type Action, verdictOf } from "./table.ts";

/** Routes an envelope's events, or parks them behind an earlier envelope of the same sender (D9). A convener's never wait. */
export function routeOrPark(builder: DecisionBuilder, origin: Origin, events: readonly FloorEvent[]): void {
  const { speakerUri } = origin;
  const waiting = builder.floor.parked.filter((one) => one.sender === speakerUri).length;
  if (waiting === 0) {
    route(builder, origin, events);
  } else if (waiting < parkedMax) {
    if (events.length > 0) park(builder, origin, events, "2.2/in-order");
  } else {
    const problem = `at most ${parkedMax} envelopes of one sender wait for the convener`;
    for (const event of events) refuse(builder, origin, event, { because: "limit/parked", problem });
  }
}

/** Spec 2.2: routes the events of an envelope in order, then the sender's next parked envelopes. */
export function route(builder: DecisionBuilder, origin: Origin, events: readonly FloorEvent[]): void {
  if (routeEach(builder, origin, events) !== "parked") routeNextParked(builder, origin.speakerUri);
}

/** Routes the sender's parked envelopes in order, until one is delegated (D9). */
export function routeNextParked(builder: DecisionBuilder, speakerUri: string): void {
  for (;;) {
    const waiting = builder.floor.parked.filter((one) => one.sender === speakerUri);
    const next = waiting.some(({ delivery }) => delivery !== undefined) ? undefined : waiting[0];
    if (next === undefined) return;
    const resumed = unpark(builder, next, "2.2/in-order");
    if (resumed !== undefined) routeEach(builder, resumed, next.rest);
  }
}

/** A delegated event parks the events after it. */
function routeEach(builder: DecisionBuilder, origin: Origin, events: readonly FloorEvent[]): "parked" | undefined {
  for (const [index, event] of events.entries()) {
    if (routeOne(builder, origin, event, events, index) === "parked") return "parked";
  }
  return undefined;
}

/** Routes one event. Each event is judged by the floor that the event before it left. */
export function routeOne(
  builder: DecisionBuilder,
  origin: Origin,
  written: FloorEvent,
  all: readonly FloorEvent[],
  index: number,
): "parked" | undefined {
  const { floor } = builder;
  if (floor.isClosed) return undefined;
  const barred = objectionToSender(floor, written, origin);
  if (barred !== undefined) {
    refuse(builder, origin, written, barred);
    return undefined;
  }
  const meant = withFocalAgent(floor, written);
  const event = asPrivateAnswer(meant, origin, floor);
  const verdict = verdictFor(floor, origin, event);
  const objection = validateEvent(floor, event, all) ?? objectionTo(floor, event, origin, verdict.action);
  if (objection !== undefined) {
    refuse(builder, origin, written, objection);
    if (objection.because === "guard/whisper-without-floor") notifyNotGranted(builder, origin);
    return undefined;
  }
  const limit = isFirstReply(origin, all, index) ? undefined : loopLimit(floor, event, origin);
  if (limit !== undefined) {
    pauseTurn(builder, origin, limit);
    refuse(builder, origin, written, { because: limit, problem: "the agents are paused until a person speaks" });
    return undefined;
  }
  return carryOut(builder, origin, event, event === meant ? verdict : asWhisperAnswer(verdict), {
    written,
    rest: all.slice(index + 1),
  });
}

function asWhisperAnswer({ action, because }: Verdict): Verdict {
  return { action, because: action === "pass" ? "guard/whisper-answer" : because };
}

type Verdict = { action: Action; because: Because };
type RoutedEvent = { written: FloorEvent; rest: readonly FloorEvent[] };

function carryOut(
  builder: DecisionBuilder,
  origin: Origin,
  event: FloorEvent,
  { action, because }: Verdict,
  { written, rest }: RoutedEvent,
) {
  switch (action) {
    case "pass":
      if (isElsewhere(builder.floor, event)) {
        recordEvent(builder, origin, event, because, { recipients: [] });
        forward(builder, origin, event);
      } else {
        takeEffect(builder, origin, event, because);
      }
      return undefined;
    case "delegate":
      delegate(builder, origin, event, rest, because);
      return "parked" as const;
    case "ignore":
      refuse(builder, origin, written, { because, problem: notGranted });
      notifyNotGranted(builder, origin);
      return undefined;
    case "grant":
      recordEvent(builder, origin, event, because, { recipients: [] });
      grantTo(builder, origin, beneficiary(builder.floor, event, origin.speakerUri), because);
      return undefined;
  }
}

/** The verdict of the table, and its exceptions: the convener, an answer to an addressed event, an advisory floor. */
function verdictFor(floor: Floor, origin: Origin, event: FloorEvent): Verdict {
  const { eventType } = event;
  const convener = convenerOf(floor);
  if (origin.approvedBy !== undefined) {
    return { action: verdictOf(eventType, true, false).action, because: "2.2/convener-approved" };
  }
  if (origin.speakerUri === convener) {
    return { action: verdictOf(eventType, true, false).action, because: "2.2/convener-own" };
  }
  const hasFloor = isGranted(floor, origin.speakerUri);
  if (eventType === "utterance" && !hasFloor) {
    if (floor.options.floorEnforcement === "advisory") return { action: "pass", because: "0.4.3/advisory" };
    // Spec 2.1: an utterance directed at an agent lets it speak again.
    if (origin.isAddressed) return { action: "pass", because: "2.1/addressed" };
  }
  return verdictOf(eventType, hasFloor, convener !== undefined && origin.isUnconvened !== true);
}

/** A whisper that accompanies a question to an outsider (D15). */
function isElsewhere(floor: Floor, event: FloorEvent): boolean {
  return isPrivate(event) && resolve(floor, event.to).length === 0;
}

const notGranted = "floor not granted: send requestFloor";

/** D8: a speaker without the floor gets one notice for each time it lost the floor. */
export function notifyNotGranted(builder: DecisionBuilder, origin: Origin): void {
  const { speakerUri } = origin;
  const sender = seatOf(builder.floor, speakerUri);
  if (sender === undefined || builder.floor.told.includes(speakerUri)) return;
  const notice: FloorEvent = { eventType: "revokeFloor", to: { speakerUri }, reason: notGranted };
  const facts = { target: speakerUri, isNotice: true as const, recipients: [sender] };
  recordEvent(builder, asFloor(builder, origin), notice, "2.2/told", facts);
}

/** Spec 0.4.3: a conversant may ask for another. A `to` that names the convener or the floor is the addressee of the request. */
export function beneficiary(floor: Floor, event: FloorEvent, sender: string): string {
  const named = resolve(floor, event.to)[0]?.identification.speakerUri;
  return named === undefined || named === convenerOf(floor) ? sender : named;
}

export function grantTo(builder: DecisionBuilder, origin: Origin, speakerUri: string, because: Because): void {
  const event: FloorEvent = { eventType: "grantFloor", to: { speakerUri } };
  recordEvent(builder, asFloor(builder, origin), event, because, { target: speakerUri });
}
