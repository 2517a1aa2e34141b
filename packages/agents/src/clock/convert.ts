import { DateTime } from "luxon";
import { type Answered, at, homeNote, onePlace, type Setting, said, unknownDate } from "./answered.ts";
import { dateNamed } from "./dates.ts";
import type { Question } from "./question.ts";
import { clockTime, longDate } from "./wording.ts";

type Conversion = Question & { kind: "conversion" };

/** A time of the clocks there, on the clocks here. Without a day it is today there. */
export function convert(question: Conversion, setting: Setting): Answered {
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
  const isGuess = [question.from, question.into].includes("") && home.known !== "told";
  const taking = isGuess ? `, taking ${homeNote(home)}` : "";
  const converted = `${clockTime(there, isTwelveHour)}${shiftWords(moment, there)}`;
  return said(`${asked} ${from.where}${onDay} is ${converted} ${into.where}${taking}.${note}`);
}

/** Twice a year an hour is missing, or comes twice. */
function momentOf(date: DateTime, time: { hour: number; minute: number }, zone: string) {
  const { year, month, day } = date;
  const read = DateTime.fromObject({ year, month, day, ...time }, { zone });
  if (read.hour !== time.hour || read.minute !== time.minute) {
    const note = ` The clocks go forward there that day and leave this time out, so I took ${clockTime(read)}.`;
    return { moment: read, note };
  }
  const [first, ...others] = read.getPossibleOffsets().toSorted((one, other) => one.toMillis() - other.toMillis());
  if (first === undefined || others.length === 0) return { moment: read, note: "" };
  return { moment: first, note: " The clocks go back there that day and show this time twice: I took the first." };
}

function shiftWords(from: DateTime, there: DateTime): string {
  const dayOf = ({ year, month, day }: DateTime) => Date.UTC(year, month - 1, day);
  const shift = dayOf(there) - dayOf(from);
  if (shift === 0) return "";
  return shift < 0 ? " the day before" : " the next day";
}
