import { isRecord } from "../is-record.ts";
import { report } from "../repair/repair.ts";
import { type Refinement, type Shape, unusable } from "../repair/shape.ts";

// A whisper must not become public because its flag was misspelt: a value that is neither true nor false is refused.
export function yesOrNo(value: unknown): unknown {
  if (value === "true" || value === 1) return true;
  return value === "false" || value === 0 ? false : unusable;
}

const flagOf = (value: unknown): unknown => (typeof value === "boolean" ? value : yesOrNo(value));

/** The stricter of two flags: true, else one that is neither true nor false. */
export function stricter(one: unknown, other: unknown): unknown {
  const flags = [one, other].filter((flag) => flag !== undefined && flag !== null);
  return flags.find((flag) => flagOf(flag) === true) ?? flags.find((flag) => flagOf(flag) === unusable) ?? flags[0];
}

/** The places of a flag, in the order of search. */
const flagPlaces = [[], ["to"], ["to", 0], ["parameters"], ["parameters", "to"], ["parameters", "to", 0]] as const;

/** The path to a key of an event that differs from `private` only in case. */
function misspeltFlag(event: object): (string | number)[] | undefined {
  for (const place of flagPlaces) {
    let part: unknown = event;
    for (const key of place) part = typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined;
    if (!isRecord(part)) continue;
    for (const key in part) {
      if (key.length === 7 && key !== "private" && key.toLowerCase() === "private") return [...place, key];
    }
  }
  return undefined;
}

export function hasMisspeltFlag(event: object): boolean {
  return misspeltFlag(event) !== undefined;
}

const misspelt: Shape = { type: "string", enum: [], note: { rule: "private-key", essential: true } };

/** Ignoring such a key would publish a whisper, so an event that has one is refused. */
export function shapeOfMisspelt(event: object): Shape | undefined {
  const way = misspeltFlag(event);
  return way?.reduceRight<Shape>((shape, key) => {
    // A list that holds it is refused as a whole.
    if (typeof key === "number") return misspelt;
    return { type: "object", properties: { [key]: shape }, note: { rule: "private-key", essential: true } };
  }, misspelt);
}

type Flagged = { eventType: string; private?: unknown; to?: { private?: boolean } };

/** 0.9 has `private` beside `to`. It is moved into `to`; an utterance with the flag and without an addressee is refused. */
export const privateInTo: Refinement = (event: Flagged, place, state) => {
  if (!Object.hasOwn(event, "private")) return event;
  const { private: written, to, ...rest } = event;
  const flag = flagOf(written);
  const here = { up: place, key: "private" };
  const tell = (problem: string) => report(state, here, "private-in-to", problem, "warning");
  const refuse = (problem: string) => {
    report(state, here, "private-in-to", problem, "error", false);
    return unusable;
  };
  if (to === undefined) {
    if (event.eventType === "utterance" && flag !== false) return refuse("private stands inside to, but here is no to");
    tell("private stands inside to, but here is no to (ignored)");
    return rest;
  }
  if (flag === unusable) return refuse("private is true or false and stands inside to, but this is neither");
  tell("private stands inside to, but here it stands beside it (read as to.private)");
  return { ...rest, to: { ...to, private: flag === true || to.private === true } };
};
