import { isRecord } from "../is-record.ts";

/** The path to a value, built on the way down and written as a JSON pointer only for an issue. */
export type JsonPath = { up: JsonPath | undefined; key: string | number };

export function pointer(place: JsonPath | undefined): string {
  if (place === undefined) return "";
  const step = String(place.key).replaceAll("~", "~0").replaceAll("/", "~1");
  return `${pointer(place.up)}/${step}`;
}

/** The original places of the parts of a document, by identity, also after a repair moved them. */
export type Places = WeakMap<object, JsonPath>;

export function placesOf(document: unknown): Places {
  const places: Places = new WeakMap();
  note(document, undefined, places);
  return places;
}

function note(value: unknown, place: JsonPath | undefined, places: Places): void {
  if (typeof value !== "object" || value === null) return;
  if (place !== undefined) places.set(value, place);
  for (const [key, child] of Object.entries(value)) {
    note(child, { up: place, key: Array.isArray(value) ? Number(key) : key }, places);
  }
}

/** The place itself, or its nearest ancestor in the document; a missing key of an existing object counts as existing. */
export function nearest(place: JsonPath | undefined, document: unknown): JsonPath | undefined {
  const steps: JsonPath[] = [];
  for (let step = place; step !== undefined; step = step.up) steps.unshift(step);
  let value = document;
  let reached: JsonPath | undefined;
  for (const step of steps) {
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, step.key);
    if (!isThere) return isRecord(value) && step === place ? place : reached;
    value = (value as Record<string | number, unknown>)[step.key];
    reached = step;
  }
  return place;
}
