// Days and the time between them.
import type { DateTime } from "luxon";
import { type Answered, at, onePlace, type Setting, said, unknownDate } from "./answered.ts";
import { dateNamed } from "./dates.ts";
import type { Question, SpanUnit } from "./question.ts";
import { apart, clockTime, longDate } from "./wording.ts";

export function today({ where, part }: Question & { kind: "today" }, setting: Setting): Answered {
  const place = onePlace(where, setting);
  if ("problem" in place) return place;
  const there = at(setting.now, place.zone);
  const words = {
    date: longDate(there),
    week: `week ${there.weekNumber} of ${there.weekYear}`,
    month: there.toFormat("LLLL yyyy"),
    year: there.toFormat("yyyy"),
  };
  return said(`It is ${words[part]}${where === "" ? "" : ` ${place.where}`}.`);
}

export function dayOf({ date, direction }: Question & { kind: "day" }, { now, home }: Setting): Answered {
  const named = dateNamed(date, { now, zone: home.zone, direction });
  if (named === undefined) return unknownDate(date);
  const isPast = named.at.endOf("day").toMillis() < now.getTime();
  return said(`That ${isPast ? "was" : "is"} ${longDate(named.at)}.`);
}

export function distance({ date, direction, unit }: Question & { kind: "distance" }, { now, home }: Setting): Answered {
  const named = dateNamed(date, { now, zone: home.zone, direction: direction === "until" ? "forward" : "back" });
  if (named === undefined) return unknownDate(date);
  const here = at(now, home.zone);
  const isExact = named.hasHour || unit === "hours" || unit === "minutes";
  const from = isExact ? here : here.startOf("day");
  const to = isExact ? named.at : named.at.startOf("day");
  const when = named.hasHour ? `${clockTime(named.at)} on ${longDate(named.at)}` : longDate(named.at);
  if (!isExact && from.hasSame(to, "day")) return said(`That is today, ${when}.`);
  const length = spanWords(from, to, isExact, unit);
  return said(to > from ? `${length} until ${when}.` : `${length} since ${when}.`);
}

export function between({ from, to, unit }: Question & { kind: "between" }, { now, home }: Setting): Answered {
  const first = dateNamed(from, { now, zone: home.zone });
  const last = dateNamed(to, { now, zone: home.zone });
  if (first === undefined) return unknownDate(from);
  if (last === undefined) return unknownDate(to);
  const isExact = first.hasHour && last.hasHour;
  const length = spanWords(first.at, last.at, isExact, unit);
  const words = ({ at }: { at: DateTime }) => (isExact ? clockTime(at) : longDate(at));
  return said(`${length} from ${words(first)} to ${words(last)}.`);
}

/** In what was asked for; else in days, and in months beside them where that says more. */
function spanWords(from: DateTime, to: DateTime, isExact: boolean, unit: SpanUnit | undefined): string {
  const [first, last] = from < to ? [from, to] : [to, from];
  const wanted: Record<SpanUnit, readonly SpanUnit[]> = {
    minutes: ["minutes"],
    hours: ["hours", "minutes"],
    days: ["days"],
    weeks: ["weeks", "days"],
    months: ["months", "days"],
    years: ["years", "months", "days"],
  };
  const inUnits = (units: readonly SpanUnit[]) => apart(last.diff(first, [...units]).toObject());
  if (unit !== undefined && !(isExact && unit === "days")) return inUnits(wanted[unit]);
  if (isExact) return inUnits(["days", "hours", "minutes"]);
  const days = inUnits(["days"]);
  const isLong = last.diff(first, "days").days > 60;
  return isLong && unit === undefined ? `${days} (${inUnits(["years", "months", "days"])})` : days;
}
