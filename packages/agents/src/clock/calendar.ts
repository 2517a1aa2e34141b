import { casual } from "chrono-node/en";
import { DateTime, type DurationObjectUnits } from "luxon";
import type { ClockQuestion, SpanUnit } from "./parse-question.ts";
import { type Home, type Place, placeNamed, type Region } from "./places.ts";

export function today({ where, part }: ClockQuestion & { kind: "today" }, setting: ClockContext): ClockAnswer {
  const place = onePlace(where, setting);
  if ("problem" in place) return place;
  const there = at(setting.now, place.zone);
  const words = {
    date: longDate(there),
    week: `week ${there.weekNumber} of ${there.weekYear}`,
    month: there.toFormat("LLLL yyyy"),
    year: there.toFormat("yyyy"),
  };
  return textAnswer(`It is ${words[part]}${where === "" ? "" : ` ${place.where}`}.`);
}

export function dayText(
  { date, direction }: ClockQuestion & { kind: "day" },
  { now, home }: ClockContext,
): ClockAnswer {
  const named = dateNamed(date, { now, zone: home.zone, direction });
  if (named === undefined) return unknownDate(date);
  const isPast = named.at.endOf("day").toMillis() < now.getTime();
  return textAnswer(`That ${isPast ? "was" : "is"} ${longDate(named.at)}.`);
}

export function distance(
  { date, direction, unit }: ClockQuestion & { kind: "distance" },
  { now, home }: ClockContext,
): ClockAnswer {
  const named = dateNamed(date, { now, zone: home.zone, direction: direction === "until" ? "forward" : "back" });
  if (named === undefined) return unknownDate(date);
  const here = at(now, home.zone);
  const isExact = named.hasHour || unit === "hours" || unit === "minutes";
  const from = isExact ? here : here.startOf("day");
  const to = isExact ? named.at : named.at.startOf("day");
  const when = named.hasHour ? `${clockTime(named.at)} on ${longDate(named.at)}` : longDate(named.at);
  if (!isExact && from.hasSame(to, "day")) return textAnswer(`That is today, ${when}.`);
  const length = spanText(from, to, isExact, unit);
  return textAnswer(to > from ? `${length} until ${when}.` : `${length} since ${when}.`);
}

export function between(
  { from, to, unit }: ClockQuestion & { kind: "between" },
  { now, home }: ClockContext,
): ClockAnswer {
  const first = dateNamed(from, { now, zone: home.zone });
  const last = dateNamed(to, { now, zone: home.zone });
  if (first === undefined) return unknownDate(from);
  if (last === undefined) return unknownDate(to);
  const isExact = first.hasHour && last.hasHour;
  const length = spanText(first.at, last.at, isExact, unit);
  const words = ({ at }: { at: DateTime }) => (isExact ? clockTime(at) : longDate(at));
  return textAnswer(`${length} from ${words(first)} to ${words(last)}.`);
}

/** In the unit of the question; otherwise in days, and for long spans also in years and months. */
function spanText(from: DateTime, to: DateTime, isExact: boolean, unit: SpanUnit | undefined): string {
  const [first, last] = from < to ? [from, to] : [to, from];
  const wanted: Record<SpanUnit, readonly SpanUnit[]> = {
    minutes: ["minutes"],
    hours: ["hours", "minutes"],
    days: ["days"],
    weeks: ["weeks", "days"],
    months: ["months", "days"],
    years: ["years", "months", "days"],
  };
  const inUnits = (units: readonly SpanUnit[]) => durationText(last.diff(first, [...units]).toObject());
  if (unit !== undefined && !(isExact && unit === "days")) return inUnits(wanted[unit]);
  if (isExact) return inUnits(["days", "hours", "minutes"]);
  const days = inUnits(["days"]);
  const isLong = last.diff(first, "days").days > 60;
  return isLong && unit === undefined ? `${days} (${inUnits(["years", "months", "days"])})` : days;
}

/** A day, and the hour if the words name one. */
type NamedDate = { at: DateTime; hasHour: boolean };

type DateContext = { now: Date; zone: string; direction?: "forward" | "back" };

const holidays: Record<string, string> = {
  christmas: "25 December",
  "christmas day": "25 December",
  "christmas eve": "24 December",
  "new year": "1 January",
  "new year's day": "1 January",
  "new year's eve": "31 December",
  halloween: "31 October",
  "valentine's day": "14 February",
};

/** Returns undefined when the words have anything that is no date, or when the date does not exist. */
export function dateNamed(words: string, setting: DateContext): NamedDate | undefined {
  const said = words.trim().replace(/^the /iu, "");
  const shifted = /^(\d{1,5}|an?) (day|week|month|year)s? (after|before|from) (?!now$)(.+)$/iu.exec(said);
  if (shifted === null) return readDate(holidays[said.toLowerCase()] ?? said, setting);
  const [, many = "", unit = "", side = "", base = ""] = shifted;
  const from = readDate(holidays[base.toLowerCase()] ?? base, setting);
  const amount = (/^\d/u.test(many) ? Number(many) : 1) * (side.toLowerCase() === "before" ? -1 : 1);
  return from && valid({ ...from, at: from.at.plus({ [unit.toLowerCase()]: amount }) });
}

function readDate(said: string, { now, zone, direction }: DateContext): NamedDate | undefined {
  const here = DateTime.fromJSDate(now, { zone });
  const reference = { instant: now, timezone: here.offset };
  const [found, ...others] = casual.parse(said, reference, {
    forwardDate: direction === "forward" && !/^(?:last|past|previous) /iu.test(said),
  });
  const isWhole = found?.index === 0 && found.text.length === said.length && !found.end;
  if (found === undefined || !isWhole || others.length > 0) return undefined;
  const { start } = found;
  const hasHour = start.isCertain("hour");
  const part = (name: Parameters<typeof start.get>[0]) => start.get(name) ?? 0;
  const time = hasHour ? { hour: part("hour"), minute: part("minute") } : {};
  const at = DateTime.fromObject({ year: part("year"), month: part("month"), day: part("day"), ...time }, { zone });
  const isLastYear = direction === "back" && !start.isCertain("year") && at > here;
  return valid({ at: isLastYear ? at.minus({ years: 1 }) : at, hasHour });
}

function valid(named: NamedDate): NamedDate | undefined {
  return named.at.isValid && Math.abs(named.at.year) < 10_000 ? named : undefined;
}

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
