import { report } from "./mend.ts";
import { type Refinement, unusable } from "./shape.ts";

// A whisper must not become public because its flag was misspelt: what is neither yes nor no is refused.
export function yesOrNo(value: unknown): unknown {
  if (value === "true" || value === 1) return true;
  return value === "false" || value === 0 ? false : unusable;
}

const flagOf = (value: unknown): unknown => (typeof value === "boolean" ? value : yesOrNo(value));

/** Of two flags the stricter one: yes, else what is neither yes nor no. */
export function stricter(one: unknown, other: unknown): unknown {
  const flags = [one, other].filter((flag) => flag !== undefined && flag !== null);
  return flags.find((flag) => flagOf(flag) === true) ?? flags.find((flag) => flagOf(flag) === unusable) ?? flags[0];
}

type Flagged = { eventType: string; private?: unknown; to?: { private?: boolean } };

/** 0.9 has `private` beside `to`. It is moved into `to`; where it asks for privacy and nobody is named, the event is refused. */
export const privateInTo: Refinement = (event: Flagged, place, reader) => {
  if (!Object.hasOwn(event, "private")) return event;
  const { private: written, to, ...rest } = event;
  const flag = flagOf(written);
  const here = { up: place, key: "private" };
  const tell = (problem: string) => report(reader, here, "private-in-to", problem, "warning");
  const refuse = (problem: string) => {
    report(reader, here, "private-in-to", problem, "error", false);
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
