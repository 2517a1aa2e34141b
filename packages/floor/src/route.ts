import { type FloorEvent, isPrivate } from "@plenary/protocol";
import { delegate, park, parkedMax, unpark } from "./convener/parked-envelopes.ts";
import { asFloor, type Draft, type Origin } from "./decision-builder.ts";
import { addressed, resolve } from "./delivery/recipients.ts";
import { objectionTo, objectionToSender } from "./events/guard.ts";
import { brakeOn, isFirstReply, pauseTurn } from "./events/loop-guard.ts";
import { record } from "./events/record-event.ts";
import { refuse } from "./events/refuse.ts";
import { forward, pass } from "./events/take-effect.ts";
import { senseless } from "./events/validate-event.ts";
import { answerInKind } from "./events/whisper-answer.ts";
import { convenerOf, type Floor, isGranted, seatOf } from "./floor.ts";
import type { Because } from "./rules.ts";
import { type Action, verdictOf } from "./table.ts";

/** An envelope's events, unless an earlier envelope of the same sender still waits (D9). Nothing of a convener does. */
export function takeUp(draft: Draft, origin: Origin, events: readonly FloorEvent[]): void {
  const { speakerUri } = origin;
  const waiting = draft.floor.parked.filter((one) => one.sender === speakerUri).length;
  if (waiting === 0) {
    route(draft, origin, events);
  } else if (waiting < parkedMax) {
    if (events.length > 0) park(draft, origin, events, "2.2/in-order");
  } else {
    const problem = `at most ${parkedMax} envelopes of one sender wait for the convener`;
    for (const event of events) refuse(draft, origin, event, { because: "limit/parked", problem });
  }
}

/** Spec 2.2: the events of an envelope, in the order listed; then what its sender sent meanwhile. */
export function route(draft: Draft, origin: Origin, events: readonly FloorEvent[]): void {
  if (routeEach(draft, origin, events) !== "parked") takeUpNext(draft, origin.speakerUri);
}

/** What its sender sent while an earlier envelope was with the convener, as far as it goes (D9). */
export function takeUpNext(draft: Draft, speakerUri: string): void {
  for (;;) {
    const waiting = draft.floor.parked.filter((one) => one.sender === speakerUri);
    const next = waiting.some(({ delivery }) => delivery !== undefined) ? undefined : waiting[0];
    if (next === undefined) return;
    const resumed = unpark(draft, next, "2.2/in-order");
    if (resumed !== undefined) routeEach(draft, resumed, next.rest);
  }
}

/** A delegated event parks what comes after it. */
function routeEach(draft: Draft, origin: Origin, events: readonly FloorEvent[]): "parked" | undefined {
  for (const [index, event] of events.entries()) {
    if (routeOne(draft, origin, event, events, index) === "parked") return "parked";
  }
  return undefined;
}

/** One event of several: each is judged by the floor that the one before it left. */
export function routeOne(
  draft: Draft,
  origin: Origin,
  written: FloorEvent,
  all: readonly FloorEvent[],
  index: number,
): "parked" | undefined {
  const { floor } = draft;
  if (floor.isClosed) return undefined;
  const barred = objectionToSender(floor, written, origin);
  if (barred !== undefined) {
    refuse(draft, origin, written, barred);
    return undefined;
  }
  const meant = addressed(floor, written);
  const event = answerInKind(meant, origin, floor);
  const verdict = judge(floor, origin, event);
  const objection = senseless(floor, event, all) ?? objectionTo(floor, event, origin, verdict.action);
  if (objection !== undefined) {
    refuse(draft, origin, written, objection);
    if (objection.because === "guard/whisper-without-floor") tellOnce(draft, origin);
    return undefined;
  }
  const brake = isFirstReply(origin, all, index) ? undefined : brakeOn(floor, event, origin);
  if (brake !== undefined) {
    pauseTurn(draft, origin, brake);
    refuse(draft, origin, written, { because: brake, problem: "the agents are paused until a person speaks" });
    return undefined;
  }
  return act(draft, origin, event, event === meant ? verdict : answeringWhisper(verdict), {
    written,
    rest: all.slice(index + 1),
  });
}

function answeringWhisper({ action, because }: Verdict): Verdict {
  return { action, because: action === "pass" ? "guard/whisper-answer" : because };
}

type Verdict = { action: Action; because: Because };
type Place = { written: FloorEvent; rest: readonly FloorEvent[] };

function act(draft: Draft, origin: Origin, event: FloorEvent, { action, because }: Verdict, { written, rest }: Place) {
  switch (action) {
    case "pass":
      if (isElsewhere(draft.floor, event)) {
        record(draft, origin, event, because, { recipients: [] });
        forward(draft, origin, event);
      } else {
        pass(draft, origin, event, because);
      }
      return undefined;
    case "delegate":
      delegate(draft, origin, event, rest, because);
      return "parked" as const;
    case "ignore":
      refuse(draft, origin, written, { because, problem: notGranted });
      tellOnce(draft, origin);
      return undefined;
    case "grant":
      record(draft, origin, event, because, { recipients: [] });
      grantTo(draft, origin, beneficiary(draft.floor, event, origin.speakerUri), because);
      return undefined;
  }
}

/** The table, and the ways around it: the convener, an answer to what was addressed to one, an advisory floor. */
function judge(floor: Floor, origin: Origin, event: FloorEvent): Verdict {
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

/** A whisper that goes with a question to somebody who is not at the floor (D15). */
function isElsewhere(floor: Floor, event: FloorEvent): boolean {
  return isPrivate(event) && resolve(floor, event.to).length === 0;
}

const notGranted = "floor not granted: send requestFloor";

/** D8: whoever speaks without the floor is told once, until it has lost it anew. */
export function tellOnce(draft: Draft, origin: Origin): void {
  const { speakerUri } = origin;
  const sender = seatOf(draft.floor, speakerUri);
  if (sender === undefined || draft.floor.told.includes(speakerUri)) return;
  const notice: FloorEvent = { eventType: "revokeFloor", to: { speakerUri }, reason: notGranted };
  const facts = { target: speakerUri, isNotice: true as const, recipients: [sender] };
  record(draft, asFloor(draft, origin), notice, "2.2/told", facts);
}

/** Spec 0.4.3: one may ask for another; `to` that is the convener or the floor names whom one asks. */
export function beneficiary(floor: Floor, event: FloorEvent, sender: string): string {
  const named = resolve(floor, event.to)[0]?.identification.speakerUri;
  return named === undefined || named === convenerOf(floor) ? sender : named;
}

export function grantTo(draft: Draft, origin: Origin, speakerUri: string, because: Because): void {
  const event: FloorEvent = { eventType: "grantFloor", to: { speakerUri } };
  record(draft, asFloor(draft, origin), event, because, { target: speakerUri });
}
