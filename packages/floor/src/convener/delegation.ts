import type { FloorEvent } from "@plenary/protocol";
import { asFloor, type DecisionBuilder, later, type Origin, write } from "../decision-builder.ts";
import { abort } from "../delivery/outgoing-envelopes.ts";
import { everyone } from "../delivery/recipients.ts";
import { recordEvent } from "../events/record-event.ts";
import { refuse } from "../events/refuse.ts";
import { convenerOf, type Floor, isGranted, type OpenDelivery, openDelivery, type Parked, seatOf } from "../floor.ts";
import { beneficiary, grantTo, notifyNotGranted, route, routeNextParked, routeOne } from "../route.ts";
import type { Because } from "../rules.ts";
import { unpark } from "./parked-envelopes.ts";
import { isDropped, isSame, redacted, refuseDropped } from "./returned-event.ts";

/** D10: an event that the convener returns unchanged is approved and stays its sender's; any other is the convener's own. */
export function onDelegationAnswer(
  builder: DecisionBuilder,
  origin: Origin,
  parked: Parked,
  returned: readonly FloorEvent[],
): void {
  const asker = unpark(builder, parked, "2.2/convener-answered");
  const { delegated, rest } = parked;
  const { convenerEventsMax } = builder.floor.options;
  const taken = returned.slice(0, convenerEventsMax);
  let approved = asker && { ...asker, approvedBy: origin.speakerUri };
  for (const [index, event] of taken.entries()) {
    if (delegated === undefined || !isSame(builder.floor, event, delegated, parked.sender)) {
      routeOne(builder, origin, event, taken, index);
    } else if (approved !== undefined) {
      // The sender's own event, not the returned copy: a convener cannot change words by returning others under the same id.
      const passed = redacted(delegated, event, approved, seatOf(builder.floor, origin.speakerUri));
      routeOne(builder, approved, passed, [passed], 0);
      approved = undefined;
    }
  }
  if (builder.floor.isClosed) return;
  const excess = returned[convenerEventsMax];
  if (excess !== undefined) {
    const problem = `the convener returned ${returned.length} events, of which the first ${convenerEventsMax} count`;
    refuse(builder, origin, excess, { because: "limit/convener-events", problem });
  }
  if (asker === undefined) {
    routeNextParked(builder, parked.sender);
    return;
  }
  const isOpen = approved !== undefined || delegated?.eventType === "requestFloor";
  if (delegated !== undefined && isOpen) dropOrHold(builder, asker, delegated, taken);
  route(builder, asker, rest);
}

/** D11: an unanswered requestFloor is held; any other unanswered event is dropped. */
function dropOrHold(
  builder: DecisionBuilder,
  asker: Origin,
  delegated: FloorEvent,
  returned: readonly FloorEvent[],
): void {
  if (delegated.eventType !== "requestFloor") {
    if (isDropped(builder.floor, asker, delegated, returned)) refuseDropped(builder, asker, delegated);
    return;
  }
  const { floor } = builder;
  const speakerUri = beneficiary(floor, delegated, asker.speakerUri);
  const seat = seatOf(floor, speakerUri);
  // Spec 1.19: a request is answered by a grant or a revocation.
  const isRevoked = returned.some((event) => event.eventType === "revokeFloor" && event.to?.speakerUri === speakerUri);
  if (seat === undefined || isRevoked || isGranted(floor, speakerUri)) return;
  const { turn, causedBy, depth } = asker;
  const because = "2.2/requestFloor/held";
  const seq = write(builder, turn, { kind: "held", because, causedBy, audience: [speakerUri], speakerUri, depth });
  const at = later(builder.now, floor.options.requestHeldMs);
  builder.effects.push({ kind: "timer", id: `held:${seq}`, at });
}

/** D11: the floor answers a request that the convener neither granted nor refused. */
export function onHeldDeadline(builder: DecisionBuilder, seq: number): void {
  const held = builder.floor.held.find((one) => one.seq === seq);
  if (held === undefined || isGranted(builder.floor, held.speakerUri)) return;
  answerRequest(builder, { ...held, causedBy: seq }, "2.2/requestFloor/timed-out");
}

function answerRequest(
  builder: DecisionBuilder,
  asker: Pick<Origin, "speakerUri" | "turn" | "depth" | "causedBy">,
  because: Because,
): void {
  const { speakerUri } = asker;
  const reason = "@timedOut the convener did not decide";
  const event: FloorEvent = { eventType: "revokeFloor", to: { speakerUri }, reason };
  recordEvent(builder, asFloor(builder, asker), event, because, { target: speakerUri });
}

/** D11: the event is routed without a convener, or dropped. After two misses in a row the role lapses. */
export function onConvenerMissed(
  builder: DecisionBuilder,
  open: OpenDelivery,
  failure: string,
  because: Because,
): void {
  const { id: delivery, to: speakerUri, turn } = open;
  const parked = builder.floor.parked.find((one) => one.delivery === delivery);
  const audience = everyone(builder.floor);
  const causedBy = write(builder, turn, { kind: "missed", because, audience, delivery, speakerUri, failure });
  if (builder.floor.convenerMisses >= 2) {
    write(builder, turn, { kind: "role", role: "convener", because: "convener/lapsed", causedBy, audience });
  }
  if (parked === undefined) return;
  const asker = unpark(builder, parked, "convener/absent");
  if (asker === undefined) {
    routeNextParked(builder, parked.sender);
    return;
  }
  if (parked.delegated !== undefined) routeUnanswered(builder, asker, parked.delegated);
  route(builder, asker, parked.rest);
}

function routeUnanswered(builder: DecisionBuilder, asker: Origin, delegated: FloorEvent): void {
  if (builder.floor.options.onConvenerFailure === "open") {
    routeOne(builder, { ...asker, isUnconvened: true }, delegated, [delegated], 0);
    return;
  }
  refuse(builder, asker, delegated, { because: "convener/closed", problem: "the convener did not answer" });
  if (delegated.eventType === "utterance") notifyNotGranted(builder, asker);
  if (delegated.eventType !== "requestFloor") return;
  const speakerUri = beneficiary(builder.floor, delegated, asker.speakerUri);
  if (!isGranted(builder.floor, speakerUri)) answerRequest(builder, { ...asker, speakerUri }, "convener/closed");
}

/** After the convener left or lost its role, the envelopes that waited for it are routed again. */
export function releaseParked(builder: DecisionBuilder): void {
  for (;;) {
    const { floor } = builder;
    const stranded = floor.parked.find(({ delivery }) => delivery !== undefined && !isWithConvener(floor, delivery));
    if (stranded === undefined) break;
    const { delivery, delegated, rest, sender } = stranded;
    if (delivery !== undefined && openDelivery(floor, delivery) !== undefined) abort(builder, [delivery]);
    const asker = unpark(builder, stranded, "convener/absent");
    if (asker === undefined) routeNextParked(builder, sender);
    else route(builder, asker, delegated === undefined ? rest : [delegated, ...rest]);
  }
  if (convenerOf(builder.floor) === undefined) grantHeld(builder);
}

function isWithConvener(floor: Floor, delivery: string): boolean {
  const convener = convenerOf(floor);
  return convener !== undefined && openDelivery(floor, delivery)?.to === convener;
}

/** Without a convener every request is granted, also the held ones. */
function grantHeld(builder: DecisionBuilder): void {
  for (const { speakerUri, turn, depth, seq } of builder.floor.held) {
    const origin = { ...asFloor(builder, { turn, depth, causedBy: seq }), speakerUri };
    grantTo(builder, origin, speakerUri, "2.2/requestFloor/no-convener");
  }
}
