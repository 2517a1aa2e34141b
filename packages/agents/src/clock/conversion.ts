import type { Question } from "./question.ts";

type Conversion = Question & { kind: "conversion" };

const time = "(?<time>\\d{1,2}(?:[:.]\\d{2})?(?: ?[ap]\\.?m\\.?)?(?: ?o'clock| ?h)?|noon|midday|midnight)";
const onDay = "(?: (?<day>today|tomorrow|yesterday|on [^,]{3,25}?),?)?";

const forms = [
  `what time is it (?:in )?(?<into>.{2,60}?) (?:when|if) it is ${time}${onDay} (?:in |from )?(?<from>.{2,60})`,
  `(?:if|when) it is ${time}${onDay} (?:in |from )?(?<from>.{2,60}?),? (?:then )?what time is it(?: in)? (?<into>.{2,60})`,
  `(?<lead>when is(?: it)?|what time is(?: it)?|what is|convert|how late is) ${time}${onDay} (?:in |from )?(?<places>(?!(?:hour|minute|day|week)s?\\b).{2,120})`,
  `${time}${onDay} (?:in |from )?(?<places>(?!(?:hour|minute|day|week)s?\\b).{2,120})`,
].map((form) => new RegExp(`^${form}$`, "iu"));

/** `when is it 9 in Tokyo for me`, `9:30 am in New York in Berlin time`, `what is 15:00 UTC in Tokyo`. */
export function conversionIn(said: string): Conversion | undefined {
  for (const form of forms) {
    const groups = form.exec(said)?.groups;
    if (groups === undefined) continue;
    const { lead = groups.into === undefined ? "" : "when", places, day } = groups;
    const clock = timeOf(groups.time ?? "");
    // `5 pm in Tokyo` says nothing unless it asks.
    const isAsked = lead !== "" || (clock?.isPlainly === true && / in /iu.test(said));
    const sides = places === undefined ? groups : sidesOf(places, isAsked);
    if (clock === undefined || sides?.from === undefined || sides.into === undefined) continue;
    // A bare number is a time only where a time is asked for.
    const isForTime = /^(?:when|what time|how late)/iu.test(lead) || (lead !== "" && / for (?:me|us)$/iu.test(said));
    if (!clock.isPlainly && !isForTime) continue;
    const { hour, minute, isTwelveHour } = clock;
    return {
      ...{ kind: "conversion", hour, minute, isTwelveHour },
      ...{ from: forMe(withoutTime(sides.from)), into: forMe(withoutTime(sides.into)) },
      ...(day !== undefined && { day: day.replace(/^on /iu, "") }),
    };
  }
  return undefined;
}

/** `Tokyo for me`, `New York in Berlin time`, `PST to CET`; only who asks for a time may leave out for whom. */
function sidesOf(places: string, isAsked: boolean): { from?: string; into?: string } | undefined {
  const [, from, into] = /^(.{1,60}?)(?: time)? (?:in|to|into|as|for) (.{2,60})$/iu.exec(places) ?? [];
  if (from !== undefined && into !== undefined) return { from, into };
  const [, here] = /^(.{2,60}?)(?: time)? here$/iu.exec(places) ?? [];
  if (here !== undefined) return { from: here, into: "" };
  return isAsked ? { from: places, into: "" } : undefined;
}

const withoutTime = (place: string) => place.replace(/ (?:local )?time$/iu, "").trim();
const forMe = (place: string) =>
  /^(?:me|us|here|my|my place|my (?:local )?time ?(?:zone)?)$/iu.test(place) ? "" : place;

function timeOf(words: string) {
  const named = { noon: 12, midday: 12, midnight: 0 }[words.toLowerCase()];
  if (named !== undefined) return { hour: named, minute: 0, isTwelveHour: false, isPlainly: true };
  const [, hours = "", minutes, half] = /^(\d{1,2})(?:[:.](\d{2}))?(?: ?([ap])\.?m)?/iu.exec(words) ?? [];
  const hour = Number(hours);
  const minute = Number(minutes ?? 0);
  const isTwelveHour = half !== undefined;
  if (minute > 59 || hour > 23 || (isTwelveHour && (hour < 1 || hour > 12))) return undefined;
  const onDial = isTwelveHour ? (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0) : hour;
  return { hour: onDial, minute, isTwelveHour, isPlainly: minutes !== undefined || /\D/u.test(words) };
}
