// What every answer is made with: one moment, a home, and the places that were named.
import { DateTime } from "luxon";
import type { Home } from "./home.ts";
import { type Land, type Place, placeNamed } from "./places.ts";
import { longDate } from "./wording.ts";

export type Setting = { now: Date; home: Home };

/** `problem`: understood, but there is no such place or date; said to whoever called the clock, and to nobody else. */
export type Answered = { ok: true; text: string; home?: Home } | { ok: false; problem: string };

export const said = (text: string): Answered => ({ ok: true, text });

export function unknownPlace(name: string): Answered & { ok: false } {
  const problem = `I do not know the place "${name}". A larger city nearby, or a zone such as UTC+2, will do.`;
  return { ok: false, problem };
}

export function unknownDate(words: string): Answered {
  return { ok: false, problem: `I cannot find "${words}" in the calendar. Write it like 2027-02-14 or 24 December.` };
}

export function at(now: Date, zone: string): DateTime {
  return DateTime.fromJSDate(now, { zone }).setLocale("en");
}

function isLand(place: Place | Land | undefined): boolean {
  return place !== undefined && (!("zone" in place) || place.isLand === true);
}

export function homeNote({ zone, known }: Home): string {
  return `${zone}, ${known === "offset" ? "as your words have it" : "where this clock runs"}; say "I am in ..." to change it`;
}

/** The words after a time at home. */
export function homeWords(home: Home, there: DateTime): string {
  if (home.known === "told") return `in ${home.label} on ${longDate(there)}.`;
  return `on ${longDate(there)} (${homeNote(home)}).`;
}

function homePlace({ zone, label, known }: Home): Place {
  return known === "told" ? { zone, label, where: `in ${label}` } : { zone, label: "where you are", where: "for you" };
}

/** Without a name it is home. What is not one place is told as it is. */
export function onePlace(name: string, { now, home }: Setting): Place | (Answered & { ok: false }) {
  if (/^(?:|me|us|here|my time|my place)$/iu.test(name)) return homePlace(home);
  const place = placeNamed(name, now);
  if (place === undefined) return unknownPlace(name);
  if ("zone" in place) return place;
  return { ok: false, problem: `There are several times in ${place.label}: name a city there.` };
}

const placesMax = 6;

/** The whole may be one place, `Trinidad and Tobago` or `London, Ontario`, before it is several. */
export function placesNamed(words: string, now: Date): readonly (Place | Land)[] | undefined {
  const whole = placeNamed(words, now);
  if (whole !== undefined) return [whole];
  for (const separator of [/\s+(?:and|&)\s+(?:in\s+)?|\s*;\s*/u, /\s*,\s*/u]) {
    const parts = words.split(separator);
    if (parts.length < 2 || parts.length > placesMax) continue;
    const found = parts.map((part) => placesNamed(part, now)?.slice(0, placesMax));
    // A city and a land, `Paris, Texas`: one place, but none that we know.
    const isPair = parts.length === 2 && words.includes(",") && !isLand(found[0]?.at(-1)) && isLand(found[1]?.[0]);
    return found.every((places) => places !== undefined) && !isPair ? found.flat().slice(0, placesMax) : undefined;
  }
  return undefined;
}
