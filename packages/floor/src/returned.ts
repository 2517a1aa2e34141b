import type { FloorEvent } from "@plenary/protocol";
import type { Origin } from "./draft.ts";
import type { Floor, Seat } from "./floor.ts";
import { resolve, withHistory } from "./recipients.ts";
import { beneficiary } from "./route.ts";
import { isFor } from "./sense.ts";

/**
 * D10': whether the convener returned what it was asked about. Libraries fill in what they know of an addressee and leave out
 * what they do not write, so an utterance is known by its dialogEvent.id, and any other event by its type and target.
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
    return isFor(one, other.to);
  }
  return ones.length === others.length && ones.every((seat) => others.includes(seat));
}

/**
 * D10': of an invite's history the convener may leave out what it was shown. What it did not get to see stays, and nothing is
 * added or changed. In 0.9 a history does not come back whole, so nothing is left out by it.
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
