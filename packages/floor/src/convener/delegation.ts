import type { FloorEvent } from "@plenary/protocol";
import { asFloor, type Draft, later, type Origin, write } from "../decision-builder.ts";
import { abort } from "../delivery/outgoing-envelopes.ts";
import { everyone } from "../delivery/recipients.ts";
import { record } from "../events/record-event.ts";
import { refuse } from "../events/refuse.ts";
import { convenerOf, type Floor, isGranted, type OpenDelivery, openDelivery, type Parked, seatOf } from "../floor.ts";
import { beneficiary, grantTo, route, routeOne, takeUpNext, tellOnce } from "../route.ts";
import type { Because } from "../rules.ts";
import { unpark } from "./parked-envelopes.ts";
import { isDropped, isSame, redacted, sayDropped } from "./returned-event.ts";

/** D10: what the convener returns unchanged is its sender's again, approved; all else is the convener's own. */
export function onDelegationAnswer(
  draft: Draft,
  origin: Origin,
  parked: Parked,
  returned: readonly FloorEvent[],
): void {
  const asker = unpark(draft, parked, "2.2/convener-answered");
  const { delegated, rest } = parked;
  const { convenerEventsMax } = draft.floor.options;
  const taken = returned.slice(0, convenerEventsMax);
  let approved = asker && { ...asker, approvedBy: origin.speakerUri };
  for (const [index, event] of taken.entries()) {
    if (delegated === undefined || !isSame(draft.floor, event, delegated, parked.sender)) {
      routeOne(draft, origin, event, taken, index);
    } else if (approved !== undefined) {
      // Its sender's own words, not the copy: nobody speaks in another's name by returning something else under its id.
      const passed = redacted(delegated, event, approved, seatOf(draft.floor, origin.speakerUri));
      routeOne(draft, approved, passed, [passed], 0);
      approved = undefined;
    }
  }
  if (draft.floor.isClosed) return;
  const excess = returned[convenerEventsMax];
  if (excess !== undefined) {
    const problem = `the convener returned ${returned.length} events, of which the first ${convenerEventsMax} count`;
    refuse(draft, origin, excess, { because: "limit/convener-events", problem });
  }
  if (asker === undefined) {
    takeUpNext(draft, parked.sender);
    return;
  }
  const isOpen = approved !== undefined || delegated?.eventType === "requestFloor";
  if (delegated !== undefined && isOpen) dropOrHold(draft, asker, delegated, taken);
  route(draft, asker, rest);
}

/** D11: silence on requestFloor means held; on anything else the event is dropped. */
function dropOrHold(draft: Draft, asker: Origin, delegated: FloorEvent, returned: readonly FloorEvent[]): void {
  if (delegated.eventType !== "requestFloor") {
    if (isDropped(draft.floor, asker, delegated, returned)) sayDropped(draft, asker, delegated);
    return;
  }
  const { floor } = draft;
  const speakerUri = beneficiary(floor, delegated, asker.speakerUri);
  const seat = seatOf(floor, speakerUri);
  // Spec 1.19: a request is answered by a grant or a revocation.
  const isRevoked = returned.some((event) => event.eventType === "revokeFloor" && event.to?.speakerUri === speakerUri);
  if (seat === undefined || isRevoked || isGranted(floor, speakerUri)) return;
  const { turn, causedBy, depth } = asker;
  const because = "2.2/requestFloor/held";
  const seq = write(draft, turn, { kind: "held", because, causedBy, audience: [speakerUri], speakerUri, depth });
  const at = later(draft.now, floor.options.requestHeldMs);
  draft.effects.push({ kind: "timer", id: `held:${seq}`, at });
}

/** D11: a request the convener neither granted nor refused is answered by the floor. */
export function onHeldDeadline(draft: Draft, seq: number): void {
  const held = draft.floor.held.find((one) => one.seq === seq);
  if (held === undefined || isGranted(draft.floor, held.speakerUri)) return;
  answerRequest(draft, { ...held, causedBy: seq }, "2.2/requestFloor/timed-out");
}

function answerRequest(
  draft: Draft,
  asker: Pick<Origin, "speakerUri" | "turn" | "depth" | "causedBy">,
  because: Because,
): void {
  const { speakerUri } = asker;
  const reason = "@timedOut the convener did not decide";
  const event: FloorEvent = { eventType: "revokeFloor", to: { speakerUri }, reason };
  record(draft, asFloor(draft, asker), event, because, { target: speakerUri });
}

/** D11: this event goes by the column without a convener, or is dropped; two in a row and the role lapses. */
export function onConvenerMissed(draft: Draft, open: OpenDelivery, failure: string, because: Because): void {
  const { id: delivery, to: speakerUri, turn } = open;
  const parked = draft.floor.parked.find((one) => one.delivery === delivery);
  const audience = everyone(draft.floor);
  const causedBy = write(draft, turn, { kind: "missed", because, audience, delivery, speakerUri, failure });
  if (draft.floor.convenerMisses >= 2) {
    write(draft, turn, { kind: "role", role: "convener", because: "convener/lapsed", causedBy, audience });
  }
  if (parked === undefined) return;
  const asker = unpark(draft, parked, "convener/absent");
  if (asker === undefined) {
    takeUpNext(draft, parked.sender);
    return;
  }
  if (parked.delegated !== undefined) routeUnanswered(draft, asker, parked.delegated);
  route(draft, asker, parked.rest);
}

function routeUnanswered(draft: Draft, asker: Origin, delegated: FloorEvent): void {
  if (draft.floor.options.onConvenerFailure === "open") {
    routeOne(draft, { ...asker, isUnconvened: true }, delegated, [delegated], 0);
    return;
  }
  refuse(draft, asker, delegated, { because: "convener/closed", problem: "the convener did not answer" });
  if (delegated.eventType === "utterance") tellOnce(draft, asker);
  if (delegated.eventType !== "requestFloor") return;
  const speakerUri = beneficiary(draft.floor, delegated, asker.speakerUri);
  if (!isGranted(draft.floor, speakerUri)) answerRequest(draft, { ...asker, speakerUri }, "convener/closed");
}

/** A convener that left or lost its role leaves nobody waiting: what was with it is looked at again. */
export function releaseParked(draft: Draft): void {
  for (;;) {
    const { floor } = draft;
    const stranded = floor.parked.find(({ delivery }) => delivery !== undefined && !isWithConvener(floor, delivery));
    if (stranded === undefined) break;
    const { delivery, delegated, rest, sender } = stranded;
    if (delivery !== undefined && openDelivery(floor, delivery) !== undefined) abort(draft, [delivery]);
    const asker = unpark(draft, stranded, "convener/absent");
    if (asker === undefined) takeUpNext(draft, sender);
    else route(draft, asker, delegated === undefined ? rest : [delegated, ...rest]);
  }
  if (convenerOf(draft.floor) === undefined) grantHeld(draft);
}

function isWithConvener(floor: Floor, delivery: string): boolean {
  const convener = convenerOf(floor);
  return convener !== undefined && openDelivery(floor, delivery)?.to === convener;
}

/** Without a convener a request is granted; those it had not decided on are no exception. */
function grantHeld(draft: Draft): void {
  for (const { speakerUri, turn, depth, seq } of draft.floor.held) {
    const origin = { ...asFloor(draft, { turn, depth, causedBy: seq }), speakerUri };
    grantTo(draft, origin, speakerUri, "2.2/requestFloor/no-convener");
  }
}
