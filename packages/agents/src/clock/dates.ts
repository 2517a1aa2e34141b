import { casual } from "chrono-node/en";
import { DateTime } from "luxon";

/** A day, and an hour where one was named. */
export type Named = { at: DateTime; hasHour: boolean };

type Setting = { now: Date; zone: string; direction?: "forward" | "back" };

const feasts: Record<string, string> = {
  christmas: "25 December",
  "christmas day": "25 December",
  "christmas eve": "24 December",
  "new year": "1 January",
  "new year's day": "1 January",
  "new year's eve": "31 December",
  halloween: "31 October",
  "valentine's day": "14 February",
};

/** Undefined when not all of the words are a date, or it is none of the calendar. */
export function dateNamed(words: string, setting: Setting): Named | undefined {
  const said = words.trim().replace(/^the /iu, "");
  const shifted = /^(\d{1,5}|an?) (day|week|month|year)s? (after|before|from) (?!now$)(.+)$/iu.exec(said);
  if (shifted === null) return readDate(feasts[said.toLowerCase()] ?? said, setting);
  const [, many = "", unit = "", side = "", base = ""] = shifted;
  const from = readDate(feasts[base.toLowerCase()] ?? base, setting);
  const amount = (/^\d/u.test(many) ? Number(many) : 1) * (side.toLowerCase() === "before" ? -1 : 1);
  return from && valid({ ...from, at: from.at.plus({ [unit.toLowerCase()]: amount }) });
}

function readDate(said: string, { now, zone, direction }: Setting): Named | undefined {
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

function valid(named: Named): Named | undefined {
  return named.at.isValid && Math.abs(named.at.year) < 10_000 ? named : undefined;
}
