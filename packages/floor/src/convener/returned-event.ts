import type { FloorEvent } from "@plenary/protocol";
import type { DecisionBuilder, Origin } from "../decision-builder.ts";
import { resolve, withHistory } from "../delivery/recipients.ts";
import { refuse } from "../events/refuse.ts";
import { isSameAddressee } from "../events/validate-event.ts";
import { convenerOf, type Floor, ownerOf, type Seat, seatOf } from "../floor.ts";
import { beneficiary } from "../route.ts";

/**
 * D10': whether the convener returned the delegated event. Libraries complete addressees and leave out unknown fields, so an
 * utterance is compared by its dialogEvent.id, and any other event by its type and target.
 */
export function isSame(floor: Floor, returned: FloorEvent, delegated: FloorEvent, sender: string): boolean {
  if (returned.eventType === "utterance" && delegated.eventType === "utterance") {
    return returned.parameters.dialogEvent.id === delegated.parameters.dialogEvent.id;
  }
  if (returned.eventType !== delegated.eventType) return false;
  if (delegated.eventType === "requestFloor") {
    return beneficiary(floor, returned, sender) === beneficiary(floor, delegated, sender);
  }
  return isSameTarget(floor, returned, delegated);
}

function isSameTarget(floor: Floor, one: FloorEvent, other: FloorEvent): boolean {
  if (one.to === undefined || other.to === undefined) return one.to === other.to;
  // Nothing but an utterance is private.
  const [ones, others] = [one.to, other.to].map((to) => resolve(floor, { ...to, private: false }));
  if (ones === undefined || others === undefined || (ones.length === 0 && others.length === 0)) {
    return isSameAddressee(one, other.to);
  }
  return ones.length === others.length && ones.every((seat) => others.includes(seat));
}

/**
 * D10': the convener may remove dialog events from an invite's history that it was shown. Hidden ones stay, and nothing is
 * added or changed. A 0.9 peer cannot return a whole history, so for it nothing is removed.
 */
export function redacted(
  delegated: FloorEvent,
  returned: FloorEvent,
  { withheld, whispered = [] }: Origin,
  convener: Seat | undefined,
): FloorEvent {
  if (returned.eventType !== "invite" || convener?.dialect === "0.9") return delegated;
  const unseen = new Set([...withheld, ...whispered]);
  const kept = new Set(returned.parameters?.dialogHistory?.map(({ id }) => id));
  return withHistory(delegated, ({ id }) => unseen.has(id) || kept.has(id));
}

/** After so many dropped events of the owner in a row, the refusal suggests that the convener does not work. */
const swallowedMax = 3;

/**
 * Events that a convener returns instead replace the delegated one (D11), and an utterance may be kept for later. But a
 * dropped event of the owner that is no utterance is always reported.
 */
export function isDropped(
  floor: Floor,
  { speakerUri }: Origin,
  delegated: FloorEvent,
  returned: readonly FloorEvent[],
): boolean {
  return returned.length === 0 || (speakerUri === ownerOf(floor) && delegated.eventType !== "utterance");
}

export function refuseDropped(builder: DecisionBuilder, asker: Origin, delegated: FloorEvent): void {
  const { floor } = builder;
  const convener = nameOf(floor, convenerOf(floor)) ?? "the convener";
  const problem = `${convener} did not pass on your ${describeEvent(floor, delegated)}`;
  if (asker.speakerUri !== ownerOf(floor)) {
    refuse(builder, asker, delegated, { because: "2.2/convener-dropped", problem });
    return;
  }
  const swallowed = (floor.swallowed ?? 0) + 1;
  const isIdle = swallowed >= swallowedMax;
  const because = isIdle ? "convener/seems-idle" : "2.2/convener-dropped";
  const advice = `, as ${swallowed} of your events in a row: it seems not to convene. Take the role from it, or give it to another`;
  refuse(builder, asker, delegated, { because, problem: isIdle ? `${problem}${advice}` : problem, isSwallowed: true });
}

/** `invite of Parrot`, `utterance`. */
function describeEvent(floor: Floor, { eventType, to }: FloorEvent): string {
  const about = to && resolve(floor, { ...to, private: false })[0]?.identification;
  const name = about?.conversationalName || (to?.serviceUrl ?? to?.speakerUri);
  return eventType === "utterance" || name === undefined ? eventType : `${eventType} of ${name}`;
}

function nameOf(floor: Floor, speakerUri: string | undefined): string | undefined {
  const seat = speakerUri === undefined ? undefined : seatOf(floor, speakerUri);
  return seat?.identification.conversationalName || speakerUri;
}
