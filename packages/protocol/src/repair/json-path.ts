import { isRecord } from "../is-record.ts";

/** Where a value is, built on the way down and turned into a pointer only when there is something to say. */
export type Place = { up: Place | undefined; key: string | number };

export function pointer(place: Place | undefined): string {
  if (place === undefined) return "";
  const step = String(place.key).replaceAll("~", "~0").replaceAll("/", "~1");
  return `${pointer(place.up)}/${step}`;
}

/** Where the parts of a document stand, told by identity: a part that a repair moved is still found where it was read. */
export type Places = WeakMap<object, Place>;

export function placesOf(document: unknown): Places {
  const places: Places = new WeakMap();
  note(document, undefined, places);
  return places;
}

function note(value: unknown, place: Place | undefined, places: Places): void {
  if (typeof value !== "object" || value === null) return;
  if (place !== undefined) places.set(value, place);
  for (const [key, child] of Object.entries(value)) {
    note(child, { up: place, key: Array.isArray(value) ? Number(key) : key }, places);
  }
}

/** The place itself, or the nearest around it that the document has; a key that is missing there counts as there. */
export function nearest(place: Place | undefined, document: unknown): Place | undefined {
  const steps: Place[] = [];
  for (let step = place; step !== undefined; step = step.up) steps.unshift(step);
  let value = document;
  let reached: Place | undefined;
  for (const step of steps) {
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, step.key);
    if (!isThere) return isRecord(value) && step === place ? place : reached;
    value = (value as Record<string | number, unknown>)[step.key];
    reached = step;
  }
  return place;
}
