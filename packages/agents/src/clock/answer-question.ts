import { DateTime } from "luxon";
import {
  at,
  between,
  type ClockAnswer,
  type ClockContext,
  clockTime,
  dateNamed,
  dayText,
  distance,
  durationText,
  homeNote,
  homeText,
  longDate,
  offsetText,
  onePlace,
  placesNamed,
  textAnswer,
  today,
  unknownDate,
  unknownPlace,
} from "./calendar.ts";
import type { ClockQuestion } from "./parse-question.ts";
import { type Home, type Place, placeNamed, type Region } from "./places.ts";

/** All parts of an answer use the same `now`. */
export function answerTo(question: ClockQuestion, setting: ClockContext): ClockAnswer {
  switch (question.kind) {
    case "time":
      return timeAt(question.where, setting);
    case "timeThen":
      return timeThen(question, setting);
    case "zone":
      return zoneOf(question.where, setting);
    case "shift":
      return clockChangeAt(question.where, setting);
    case "difference":
      return difference(question, setting);
    case "today":
      return today(question, setting);
    case "day":
      return dayText(question, setting);
    case "distance":
      return distance(question, setting);
    case "between":
      return between(question, setting);
    case "conversion":
      return convert(question, setting);
    case "iAmIn":
      return rememberHome(question.where, setting);
  }
}

function timeAt(where: string, { now, home }: ClockContext): ClockAnswer {
  if (where === "") return textAnswer(`It is ${clockTime(at(now, home.zone))} ${homeText(home, at(now, home.zone))}`);
  const places = placesNamed(where, now);
  if (places === undefined) return unknownPlace(where);
  const [only, ...others] = places;
  if (only !== undefined && others.length === 0 && "zone" in only) {
    const there = at(now, only.zone);
    return textAnswer(`It is ${clockTime(there)} ${only.where} on ${longDate(there)} (${offsetText(there)}).`);
  }
  return textAnswer(`${places.map((place) => timesIn(place, now)).join("; ")}.`);
}

function timesIn(place: Place | Region, now: Date): string {
  if ("zone" in place) {
    const there = at(now, place.zone);
    return `${clockTime(there)} ${place.where} (${there.toFormat("ccc d LLL")})`;
  }
  const times = place.cities.map(({ zone, where }) => `${clockTime(at(now, zone))} ${where}`);
  return `${place.label.replace(/^the /u, "The ")} has several time zones: ${times.join(", ")}`;
}

function timeThen({ minutes, where }: ClockQuestion & { kind: "timeThen" }, setting: ClockContext): ClockAnswer {
  const place = onePlace(where, setting);
  if ("problem" in place) return place;
  const then = at(setting.now, place.zone).plus({ minutes });
  const words = where === "" ? homeText(setting.home, then) : `${place.where} on ${longDate(then)}.`;
  return textAnswer(`${minutes < 0 ? "It was" : "It will be"} ${clockTime(then)} ${words}`);
}

function zoneOf(where: string, { now, home }: ClockContext): ClockAnswer {
  if (where === "")
    return textAnswer(
      `I think you are in ${home.zone} (${offsetText(at(now, home.zone))}). To change it, say "I am in ...".`,
    );
  const place = placeNamed(where, now);
  if (place === undefined) return unknownPlace(where);
  if (!("zone" in place)) return textAnswer(`${timesIn(place, now)}.`);
  return textAnswer(`The time zone ${place.where} is ${place.zone}, now ${offsetText(at(now, place.zone))}.`);
}

function difference({ from, to }: { from: string; to: string }, setting: ClockContext): ClockAnswer {
  const { now } = setting;
  const one = onePlace(from, setting);
  const other = onePlace(to, setting);
  if ("problem" in one) return one;
  if ("problem" in other) return other;
  const minutes = at(now, other.zone).offset - at(now, one.zone).offset;
  if (minutes === 0) return textAnswer(`${other.label} and ${one.label} have the same time now.`);
  const hours = durationText({ hours: Math.floor(Math.abs(minutes) / 60), minutes: Math.abs(minutes) % 60 });
  return textAnswer(`${other.label} is ${hours} ${minutes > 0 ? "ahead of" : "behind"} ${one.label} now.`);
}

function rememberHome(where: string, { now }: ClockContext): ClockAnswer {
  const place = placeNamed(where, now);
  if (place === undefined) return unknownPlace(where);
  if (!("zone" in place)) return { ok: false, problem: `${timesIn(place, now)}. Which city are you in?` };
  const { zone, label } = place;
  const home: Home = { zone, label, known: "stated" };
  return { ok: true, text: `Noted: you are in ${label}, where it is ${clockTime(at(now, zone))} (${zone}).`, home };
}

type Conversion = ClockQuestion & { kind: "conversion" };

/** Converts a time between two places. Without a day it is today at the first place. */
function convert(question: Conversion, setting: ClockContext): ClockAnswer {
  const { hour, minute, isTwelveHour, day } = question;
  const from = onePlace(question.from, setting);
  if ("problem" in from) return from;
  const into = onePlace(question.into, setting);
  if ("problem" in into) return into;
  const { now, home } = setting;
  const date =
    day === undefined ? at(now, from.zone) : dateNamed(day, { now, zone: from.zone, direction: "forward" })?.at;
  if (date === undefined) return unknownDate(day ?? "");
  const { moment, note } = momentOf(date, { hour, minute }, from.zone);
  const there = moment.setZone(into.zone);
  const asked = clockTime(DateTime.fromObject({ hour, minute }), isTwelveHour);
  const onDay = day === undefined ? "" : ` on ${longDate(date)}`;
  const isGuess = [question.from, question.into].includes("") && home.known !== "stated";
  const guess = isGuess ? ` (${homeNote(home)})` : "";
  const converted = `${clockTime(there, isTwelveHour)}${dayShiftText(moment, there)}`;
  return textAnswer(`${asked} ${from.where}${onDay} is ${converted} ${into.where}${guess}.${note}`);
}

/** When the clocks change, one hour of that day does not exist or exists twice. */
function momentOf(date: DateTime, time: { hour: number; minute: number }, zone: string) {
  const { year, month, day } = date;
  const read = DateTime.fromObject({ year, month, day, ...time }, { zone });
  if (read.hour !== time.hour || read.minute !== time.minute) {
    const note = ` The clocks go forward there on that day and skip this time, so I used ${clockTime(read)}.`;
    return { moment: read, note };
  }
  const [first, ...others] = read.getPossibleOffsets().toSorted((one, other) => one.toMillis() - other.toMillis());
  if (first === undefined || others.length === 0) return { moment: read, note: "" };
  return { moment: first, note: " The clocks go back there on that day, so this time comes twice: I used the first." };
}

function dayShiftText(from: DateTime, there: DateTime): string {
  const dayOf = ({ year, month, day }: DateTime) => Date.UTC(year, month - 1, day);
  const shift = dayOf(there) - dayOf(from);
  if (shift === 0) return "";
  return shift < 0 ? " the day before" : " the next day";
}

/** The search for the next clock change ends after so many days. */
const daysMax = 400;

/** Whether a place has standard or daylight saving time now, and when that ends. */
function clockChangeAt(where: string, setting: ClockContext): ClockAnswer {
  const place = onePlace(where, setting);
  if ("problem" in place) return place;
  const now = at(setting.now, place.zone);
  const next = nextClockChange(now);
  const isGuess = where === "" && setting.home.known !== "stated";
  const guess = isGuess ? ` (${homeNote(setting.home)}.)` : "";
  if (next === undefined)
    return textAnswer(`The clocks do not change ${place.where}: it is ${offsetText(now)} all year round.${guess}`);
  const kept = now.isInDST ? "daylight saving time" : "standard time";
  const way = next.offset > now.offset ? "forward" : "back";
  // The local time just before the change.
  const shown = next.toUTC(now.offset);
  return textAnswer(
    `It is ${kept} ${place.where} now (${offsetText(now)}). The clocks go ${way} on ${longDate(shown)} at ${clockTime(shown)}, to ${offsetText(next)}.${guess}`,
  );
}

/** The first moment with another offset than now, to the minute. */
function nextClockChange(now: DateTime): DateTime | undefined {
  const isOther = (moment: DateTime) => moment.offset !== now.offset;
  const day = Array.from({ length: daysMax }, (_, days) => now.plus({ hours: 24 * (days + 1) })).find(isOther);
  if (day === undefined) return undefined;
  let [before, after] = [day.toMillis() - 86_400_000, day.toMillis()];
  while (after - before > 60_000) {
    const middle = (before + after) / 2;
    if (isOther(DateTime.fromMillis(middle, { zone: now.zone }))) after = middle;
    else before = middle;
  }
  return DateTime.fromMillis(after, { zone: now.zone }).startOf("minute");
}
