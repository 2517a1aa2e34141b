import { DateTime, type DurationObjectUnits } from "luxon";
import { type Home, type Place, placeNamed, type Region } from "./places.ts";

export type ClockContext = { now: Date; home: Home };

/** `problem`: the question is clear, but the place or date is unknown. Only a person who called the clock gets this text. */
export type ClockAnswer = { ok: true; text: string; home?: Home } | { ok: false; problem: string };

export const textAnswer = (text: string): ClockAnswer => ({ ok: true, text });

export function unknownPlace(name: string): ClockAnswer & { ok: false } {
  const problem = `I do not know the place "${name}". Try a larger city nearby, or a time zone such as UTC+2.`;
  return { ok: false, problem };
}

export function unknownDate(words: string): ClockAnswer {
  return { ok: false, problem: `I do not understand the date "${words}". Write it like 2027-02-14 or 24 December.` };
}

export function at(now: Date, zone: string): DateTime {
  return DateTime.fromJSDate(now, { zone }).setLocale("en");
}

function isRegion(place: Place | Region | undefined): boolean {
  return place !== undefined && (!("zone" in place) || place.isRegion === true);
}

export function homeNote({ zone, known }: Home): string {
  return `${zone}, ${known === "offset" ? "the time zone of your message" : "the time zone of this clock"}; say "I am in ..." to change it`;
}

/** Follows the time at the asker's place. */
export function homeText(home: Home, there: DateTime): string {
  if (home.known === "stated") return `in ${home.label} on ${longDate(there)}.`;
  return `on ${longDate(there)} (${homeNote(home)}).`;
}

function homePlace({ zone, label, known }: Home): Place {
  return known === "stated"
    ? { zone, label, where: `in ${label}` }
    : { zone, label: "where you are", where: "for you" };
}

/** An empty name is the asker's place. A region with several times is a problem: the asker must name a city. */
export function onePlace(name: string, { now, home }: ClockContext): Place | (ClockAnswer & { ok: false }) {
  if (/^(?:|me|us|here|my time|my place)$/iu.test(name)) return homePlace(home);
  const place = placeNamed(name, now);
  if (place === undefined) return unknownPlace(name);
  if ("zone" in place) return place;
  return { ok: false, problem: `There are several time zones in ${place.label}: name a city there.` };
}

const placesMax = 6;

/** The whole name may be one place, `Trinidad and Tobago` or `London, Ontario`; only otherwise it is split. */
export function placesNamed(words: string, now: Date): readonly (Place | Region)[] | undefined {
  const whole = placeNamed(words, now);
  if (whole !== undefined) return [whole];
  for (const separator of [/\s+(?:and|&)\s+(?:in\s+)?|\s*;\s*/u, /\s*,\s*/u]) {
    const parts = words.split(separator);
    if (parts.length < 2 || parts.length > placesMax) continue;
    const found = parts.map((part) => placesNamed(part, now)?.slice(0, placesMax));
    // A city and a region, `Paris, Texas`: one place that is not in the list.
    const isPair = parts.length === 2 && words.includes(",") && !isRegion(found[0]?.at(-1)) && isRegion(found[1]?.[0]);
    return found.every((places) => places !== undefined) && !isPair ? found.flat().slice(0, placesMax) : undefined;
  }
  return undefined;
}

export function clockTime(at: DateTime, isTwelveHour = false): string {
  return isTwelveHour ? at.setLocale("en").toFormat("h:mm a").toLowerCase() : at.toFormat("HH:mm");
}

/** Monday 16 November 2026 */
export function longDate(at: DateTime): string {
  return at.setLocale("en").toFormat("cccc d LLLL yyyy");
}

/** UTC+9, UTC+5:30, UTC */
export function offsetText({ offset }: DateTime): string {
  if (offset === 0) return "UTC";
  const minutes = Math.abs(offset) % 60;
  const hours = Math.floor(Math.abs(offset) / 60);
  return `UTC${offset < 0 ? "-" : "+"}${hours}${minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`}`;
}

/** 1 year, 2 months and 3 days */
export function durationText(span: DurationObjectUnits): string {
  const parts = Object.entries(span)
    .map(([unit, amount]) => ({ unit, amount: Math.floor(amount ?? 0) }))
    .filter(({ amount }) => amount !== 0)
    .map(({ unit, amount }) => `${amount} ${amount === 1 ? unit.replace(/s$/u, "") : unit}`);
  const last = parts.pop() ?? "No time";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}
