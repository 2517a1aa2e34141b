export type SpanUnit = "days" | "weeks" | "months" | "years" | "hours" | "minutes";

/** Places and dates are words, as the person wrote them. An empty place is the place of the asker. */
export type ClockQuestion =
  | { kind: "time"; where: string }
  | { kind: "timeThen"; minutes: number; where: string }
  | { kind: "zone"; where: string }
  /** Whether it is summer time, and when the clocks change. */
  | { kind: "shift"; where: string }
  | { kind: "difference"; from: string; to: string }
  | { kind: "today"; where: string; part: "date" | "week" | "month" | "year" }
  | { kind: "day"; date: string; direction: "forward" | "back" }
  | { kind: "distance"; date: string; direction: "until" | "since"; unit?: SpanUnit }
  | { kind: "between"; from: string; to: string; unit?: SpanUnit }
  | {
      kind: "conversion";
      hour: number;
      minute: number;
      isTwelveHour: boolean;
      from: string;
      into: string;
      day?: string;
    }
  | { kind: "iAmIn"; where: string };

const charsMax = 200;

/** Pure, and without a library. A rule must match the whole text. */
export function parseQuestion(text: string): ClockQuestion | undefined {
  if (text.length > charsMax) return undefined;
  const said = normalized(text);
  const conversion = parseConversion(said);
  if (conversion !== undefined) return conversion;
  for (const [pattern, read] of rules) {
    const found = pattern.exec(said);
    if (found !== null) return read(found.groups ?? {});
  }
  return undefined;
}

const polite =
  /^(?:(?:please|hey|hi|hello|so|and|ok|okay|well)[\s,]+)*(?:(?:can|could|would|will) you (?:please )?(?:tell me )?|do you know |tell me |i (?:want|need|would like) to know )?/iu;

function normalized(text: string): string {
  return text
    .trim()
    .replaceAll("’", "'")
    .replaceAll(/\s+/gu, " ")
    .replace(/(?:[\s,]+(?:please|thanks|thank you))?[\s?.!]*$/iu, "")
    .replace(polite, "")
    .replaceAll(/\b(?:(what|when)(?:'s|s)|(it)'s)\b/giu, "$1$2 is")
    .replaceAll(/\bi'm\b/giu, "i am")
    .replaceAll(partsOfHour, (_, part: string, side: string, hour: string) => onDial(part, side, hour));
}

const hours = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const partsOfHour = new RegExp(`\\b(?:a )?(half|quarter) (past|after|to) (\\d{1,2}|${hours.join("|")})\\b(?!:)`, "giu");

/** `half past 3` is 3:30, `a quarter to one` 12:45. */
function onDial(part: string, side: string, hour: string): string {
  const at = /^\d/u.test(hour) ? Number(hour) : hours.indexOf(hour.toLowerCase()) + 1;
  const minutes = part.toLowerCase() === "half" ? 30 : 15;
  if (side.toLowerCase() !== "to") return `${at}:${minutes}`;
  return `${at === 1 ? 12 : at - 1}:${60 - minutes}`;
}

const now = "(?: (?:right now|now|currently|at the moment|today))?";
const place = `${now}(?: (?:in|at) (?<where>(?!\\d|here\\b|home\\b).{2,80}?)| (?:in )?here| at home| for (?:me|us))?${now}$`;
const day = "(?:day|weekday|day of the week|date)";
const summer = "(?:daylight sav(?:ing|ings)(?: time)?|dst|summer ?time|standard time|winter ?time)";
const count = "(?:many (?<unit>days|weeks|months|years|hours|minutes|sleeps)|long|much time)";
const there = "(?: (?:is it|is there|are there|are left|is left|left|to go|do we have|do i have|will it be))*";

type Groups = Record<string, string | undefined>;
type Rule = [RegExp, (groups: Groups) => ClockQuestion | undefined];

const rule = (pattern: string, read: Rule[1]): Rule => [new RegExp(`^${pattern}`, "iu"), read];
const asDay = ({ date = "", verb = "is" }: Groups): ClockQuestion => ({
  kind: "day",
  date,
  direction: /^(?:was|did)$/iu.test(verb) ? "back" : "forward",
});

const rules: readonly Rule[] = [
  rule(
    "(?:what time (?:is it|will it be|was it)|what (?:is|will be|was) the time)(?: in (?<where>\\p{L}.{1,60}?))? (?:in )?(?<many>\\d{1,4}|an?|half an) (?<what>hour|minute)s?(?<ago> from now| later| ago)?$",
    ({ where = "", many = "", what, ago }) => {
      const amount = many === "half an" ? 0.5 : many.startsWith("a") ? 1 : Number(many);
      return {
        kind: "timeThen",
        where,
        minutes: amount * (what?.toLowerCase() === "hour" ? 60 : 1) * (ago === " ago" ? -1 : 1),
      };
    },
  ),
  rule(
    `(?:what (?:time|hour) (?:is it|it is)|what(?: is)? the (?:current |local |exact )?time(?: is)?|what time do you have|how late is it)${place}`,
    ({ where = "" }) => ({ kind: "time", where }),
  ),
  rule("(?:the )?(?:current |local )?time(?: now)? in (?<where>.{2,80}?)(?: now)?$", ({ where = "" }) => ({
    kind: "time",
    where,
  })),
  rule(
    `(?:when|on (?:what|which) (?:date|day)) (?:do|will|did) (?:the|our) clocks? (?:change|go (?:forward|back))(?: next)?${place}`,
    shift,
  ),
  rule(
    `when (?:is|does|will) (?:the )?(?:next )?(?:${summer}|clock change|time change)(?: (?:start|begin|end|be over|over))?${place}`,
    shift,
  ),
  rule(`(?:is|are) (?:it|we|they|(?:it )?now)(?: (?:now|still|already))?(?: (?:on|in))? ${summer}${place}`, shift),
  rule(`is there (?:a )?${summer}${place}`, shift),
  rule("(?:what|which) time ?zone am i in$", () => ({ kind: "zone", where: "" })),
  rule("(?:what|which) time ?zone (?:is|are|does)(?: it)?(?: in)? (?<where>.{2,80}?)(?: in| use| have)?$", zone),
  rule("(?:what is )?(?:the )?(?:time ?zone|utc offset) (?:of|in|for) (?<where>.{2,80})$", zone),
  rule("(?:what is )?(?:the )?time difference between (?<from>.{2,80}) and (?<to>.{2,80})$", difference),
  rule("(?:what is )?(?:the )?time difference (?:to|from|with) (?<to>.{2,80})$", difference),
  rule("how (?:many hours|far) (?:ahead|behind) is (?<to>.{2,80}?)(?: (?:of|from) (?<from>.{2,80}))?$", difference),
  rule(`what ${day} (?:is it|is today|it is|of the month is it)${place}`, today("date")),
  rule(`what(?: is)? (?:the |today's )?(?:current )?${day}(?: is)?(?: it)?${place}`, today("date")),
  rule("(?:what is )?today's date$|what is today$", today("date")),
  rule(`what (?:year|year is it|is the year)${place}`, today("year")),
  rule(`what month is it${place}`, today("month")),
  rule(`what (?:week(?: number)?|calendar week) is it${place}`, today("week")),
  rule(
    `(?:on )?(?:what|which) ${day} (?<verb>is|was|will|does|did)(?: it)?(?: be)?(?: on)? (?<date>.{3,60}?)(?: be| be on| on| fall| fall on| falls on)?$`,
    asDay,
  ),
  rule(
    `(?:what is )?(?:the )?${day} (?:of |on )?(?<date>(?:in )?\\d.{3,60}|.{3,60} (?:from now|ago)|tomorrow|yesterday|(?:next|last|this) .{3,20})$`,
    asDay,
  ),
  rule(
    "(?:what|when) (?:is|was) (?<date>(?:\\d{1,5}|an?) (?:day|week|month|year)s? (?:from|after|before) .{3,60})$",
    asDay,
  ),
  rule("when is (?<date>christmas(?: eve| day)?|new year's (?:eve|day)|halloween|valentine's day)$", asDay),
  rule(`how ${count} (?:is it |are there |is there |are )?between (?<from>.{3,60}) and (?<to>.{3,60})$`, between),
  rule(`how ${count} (?:is it |are there |is there )?from (?<from>.{3,60}) (?:to|until|till) (?<to>.{3,60})$`, between),
  rule(
    `(?:how ${count}${there}|(?<unitOnly>days|weeks|sleeps)(?: left)?) (?:until|till|to|before) (?<date>.{2,60})$`,
    until,
  ),
  rule(`how ${count}(?: (?:is it|has it been|have passed|passed))? since (?<date>.{3,60})$`, since),
  rule("how long ago (?:was|is) (?<date>.{3,60})$", since),
  rule(
    "(?:i am|we are)(?: now| currently)? (?:in|based in|living in) (?<where>.{2,60}?)(?: now| today)?$",
    placeOfAsker,
  ),
  rule(
    "(?:i live in|i am from|my (?:city|town|place|location|time ?zone) is|set my (?:city|place|time ?zone) to) (?<where>.{2,60})$",
    placeOfAsker,
  ),
];

function shift({ where = "" }: Groups): ClockQuestion {
  return { kind: "shift", where };
}

function zone({ where = "" }: Groups): ClockQuestion {
  return { kind: "zone", where };
}

function difference({ from = "", to = "" }: Groups): ClockQuestion {
  return { kind: "difference", from, to };
}

function today(part: "date" | "week" | "month" | "year"): Rule[1] {
  return ({ where = "" }) => ({ kind: "today", where, part });
}

function between({ from = "", to = "", unit }: Groups): ClockQuestion {
  return { kind: "between", from, to, ...unitOf(unit) };
}

function until({ date = "", unit, unitOnly }: Groups): ClockQuestion {
  return { kind: "distance", direction: "until", date, ...unitOf(unit ?? unitOnly) };
}

function since({ date = "", unit }: Groups): ClockQuestion {
  return { kind: "distance", direction: "since", date, ...unitOf(unit) };
}

function placeOfAsker({ where = "" }: Groups): ClockQuestion {
  return { kind: "iAmIn", where };
}

const units: readonly SpanUnit[] = ["days", "weeks", "months", "years", "hours", "minutes"];

function unitOf(word: string | undefined): { unit?: SpanUnit } {
  const unit = word === "sleeps" ? "days" : units.find((one) => one === word?.toLowerCase());
  return unit === undefined ? {} : { unit };
}

type Conversion = ClockQuestion & { kind: "conversion" };

const time = "(?<time>\\d{1,2}(?:[:.]\\d{2})?(?: ?[ap]\\.?m\\.?)?(?: ?o'clock| ?h)?|noon|midday|midnight)";
const onDay = "(?: (?<day>today|tomorrow|yesterday|on [^,]{3,25}?),?)?";

const forms = [
  `what time is it (?:in )?(?<into>.{2,60}?) (?:when|if) it is ${time}${onDay} (?:in |from )?(?<from>.{2,60})`,
  `(?:if|when) it is ${time}${onDay} (?:in |from )?(?<from>.{2,60}?),? (?:then )?what time is it(?: in)? (?<into>.{2,60})`,
  `(?<lead>when is(?: it)?|what time is(?: it)?|what is|convert|how late is) ${time}${onDay} (?:in |from )?(?<places>(?!(?:hour|minute|day|week)s?\\b).{2,120})`,
  `${time}${onDay} (?:in |from )?(?<places>(?!(?:hour|minute|day|week)s?\\b).{2,120})`,
].map((form) => new RegExp(`^${form}$`, "iu"));

/** `when is it 9 in Tokyo for me`, `9:30 am in New York in Berlin time`, `what is 15:00 UTC in Tokyo`. */
function parseConversion(said: string): Conversion | undefined {
  for (const form of forms) {
    const groups = form.exec(said)?.groups;
    if (groups === undefined) continue;
    const { lead = groups.into === undefined ? "" : "when", places, day } = groups;
    const clock = timeOf(groups.time ?? "");
    // `5 pm in Tokyo` is a question, `9 in Tokyo` needs a question word.
    const isAsked = lead !== "" || (clock?.isPlainly === true && / in /iu.test(said));
    const sides = places === undefined ? groups : sidesOf(places, isAsked);
    if (clock === undefined || sides?.from === undefined || sides.into === undefined) continue;
    // A bare number is a time only in a question about a time.
    const isForTime = /^(?:when|what time|how late)/iu.test(lead) || (lead !== "" && / for (?:me|us)$/iu.test(said));
    if (!clock.isPlainly && !isForTime) continue;
    const { hour, minute, isTwelveHour } = clock;
    return {
      kind: "conversion",
      hour,
      minute,
      isTwelveHour,
      from: forMe(withoutTime(sides.from)),
      into: forMe(withoutTime(sides.into)),
      ...(day !== undefined && { day: day.replace(/^on /iu, "") }),
    };
  }
  return undefined;
}

/** `Tokyo for me`, `New York in Berlin time`, `PST to CET`. Only a question may leave out the second place. */
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
