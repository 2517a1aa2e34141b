// When the clocks change.
import { DateTime } from "luxon";
import { type Answered, at, homeNote, onePlace, type Setting, said } from "./answered.ts";
import { clockTime, longDate, offsetWords } from "./wording.ts";

/** Every change that is known comes within so many days. */
const daysMax = 400;

/** Which time they keep there now, and when that ends. */
export function shiftAt(where: string, setting: Setting): Answered {
  const place = onePlace(where, setting);
  if ("problem" in place) return place;
  const now = at(setting.now, place.zone);
  const next = nextShift(now);
  const isGuess = where === "" && setting.home.known !== "told";
  const taking = isGuess ? ` I take ${homeNote(setting.home)}.` : "";
  if (next === undefined)
    return said(`The clocks do not change ${place.where}: it is ${offsetWords(now)} all year round.${taking}`);
  const kept = now.isInDST ? "daylight saving time" : "standard time";
  const way = next.offset > now.offset ? "forward" : "back";
  // What the clocks show at the moment at which they change.
  const shown = next.toUTC(now.offset);
  return said(
    `It is ${kept} ${place.where} now (${offsetWords(now)}). The clocks go ${way} on ${longDate(shown)} at ${clockTime(shown)}, to ${offsetWords(next)}.${taking}`,
  );
}

/** The first moment with another offset than now, to the minute. */
function nextShift(now: DateTime): DateTime | undefined {
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
