// Everything here is a sentence about one moment: `now` is given, and never asked for again.
import { type Answered, at, homeWords, onePlace, placesNamed, type Setting, said, unknownPlace } from "./answered.ts";
import { between, dayOf, distance, today } from "./calendar.ts";
import { convert } from "./convert.ts";
import type { Home } from "./home.ts";
import { type Land, type Place, placeNamed } from "./places.ts";
import type { Question } from "./question.ts";
import { shiftAt } from "./shift.ts";
import { apart, clockTime, longDate, offsetWords } from "./wording.ts";

export function answerTo(question: Question, setting: Setting): Answered {
  switch (question.kind) {
    case "time":
      return timeAt(question.where, setting);
    case "timeThen":
      return timeThen(question, setting);
    case "zone":
      return zoneOf(question.where, setting);
    case "shift":
      return shiftAt(question.where, setting);
    case "difference":
      return difference(question, setting);
    case "today":
      return today(question, setting);
    case "day":
      return dayOf(question, setting);
    case "distance":
      return distance(question, setting);
    case "between":
      return between(question, setting);
    case "conversion":
      return convert(question, setting);
    case "iAmIn":
      return settle(question.where, setting);
  }
}

function timeAt(where: string, { now, home }: Setting): Answered {
  if (where === "") return said(`It is ${clockTime(at(now, home.zone))} ${homeWords(home, at(now, home.zone))}`);
  const places = placesNamed(where, now);
  if (places === undefined) return unknownPlace(where);
  const [only, ...others] = places;
  if (only !== undefined && others.length === 0 && "zone" in only) {
    const there = at(now, only.zone);
    return said(`It is ${clockTime(there)} ${only.where} on ${longDate(there)} (${offsetWords(there)}).`);
  }
  return said(
    places
      .map((place) => timesIn(place, now))
      .join("; ")
      .concat("."),
  );
}

function timesIn(place: Place | Land, now: Date): string {
  if ("zone" in place) {
    const there = at(now, place.zone);
    return `${clockTime(there)} ${place.where} (${there.toFormat("ccc d LLL")})`;
  }
  const times = place.cities.map(({ zone, where }) => `${clockTime(at(now, zone))} ${where}`);
  return `${place.label.replace(/^the /u, "The ")} has several times: ${times.join(", ")}`;
}

function timeThen({ minutes, where }: Question & { kind: "timeThen" }, setting: Setting): Answered {
  const place = onePlace(where, setting);
  if ("problem" in place) return place;
  const then = at(setting.now, place.zone).plus({ minutes });
  const words = where === "" ? homeWords(setting.home, then) : `${place.where} on ${longDate(then)}.`;
  return said(`${minutes < 0 ? "It was" : "It will be"} ${clockTime(then)} ${words}`);
}

function zoneOf(where: string, { now, home }: Setting): Answered {
  if (where === "")
    return said(
      `I take you to be in ${home.zone} (${offsetWords(at(now, home.zone))}). To change it, say "I am in ...".`,
    );
  const place = placeNamed(where, now);
  if (place === undefined) return unknownPlace(where);
  if (!("zone" in place)) return said(`${timesIn(place, now)}.`);
  return said(`The time zone ${place.where} is ${place.zone}, now ${offsetWords(at(now, place.zone))}.`);
}

function difference({ from, to }: { from: string; to: string }, setting: Setting): Answered {
  const { now } = setting;
  const one = onePlace(from, setting);
  const other = onePlace(to, setting);
  if ("problem" in one) return one;
  if ("problem" in other) return other;
  const minutes = at(now, other.zone).offset - at(now, one.zone).offset;
  if (minutes === 0) return said(`${other.label} and ${one.label} have the same time now.`);
  const hours = apart({ hours: Math.floor(Math.abs(minutes) / 60), minutes: Math.abs(minutes) % 60 });
  return said(`${other.label} is ${hours} ${minutes > 0 ? "ahead of" : "behind"} ${one.label} now.`);
}

function settle(where: string, { now }: Setting): Answered {
  const place = placeNamed(where, now);
  if (place === undefined) return unknownPlace(where);
  if (!("zone" in place)) return { ok: false, problem: `${timesIn(place, now)}. Which city are you in?` };
  const { zone, label } = place;
  const home: Home = { zone, label, known: "told" };
  return { ok: true, text: `Noted: you are in ${label}, where it is ${clockTime(at(now, zone))} (${zone}).`, home };
}
