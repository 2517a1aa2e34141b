// What is asked, pure and without a library: each rule must fit the whole of what was said. Places and dates stay words.
import { conversionIn } from "./conversion.ts";
import type { Question, SpanUnit } from "./question.ts";

const charsMax = 200;

export function understand(text: string): Question | undefined {
  if (text.length > charsMax) return undefined;
  const said = plain(text);
  const conversion = conversionIn(said);
  if (conversion !== undefined) return conversion;
  for (const [pattern, read] of rules) {
    const found = pattern.exec(said);
    if (found !== null) return read(found.groups ?? {});
  }
  return undefined;
}

const polite =
  /^(?:(?:please|hey|hi|hello|so|and|ok|okay|well)[\s,]+)*(?:(?:can|could|would|will) you (?:please )?(?:tell me )?|do you know |tell me |i (?:want|need|would like) to know )?/iu;

function plain(text: string): string {
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
type Rule = [RegExp, (groups: Groups) => Question | undefined];

const rule = (pattern: string, read: Rule[1]): Rule => [new RegExp(`^${pattern}`, "iu"), read];
const asDay = ({ date = "", verb = "is" }: Groups): Question => ({
  ...{ kind: "day", date },
  direction: /^(?:was|did)$/iu.test(verb) ? "back" : "forward",
});

const rules: readonly Rule[] = [
  rule(
    "(?:what time (?:is it|will it be|was it)|what (?:is|will be|was) the time)(?: in (?<where>\\p{L}.{1,60}?))? (?:in )?(?<many>\\d{1,4}|an?|half an) (?<what>hour|minute)s?(?<ago> from now| later| ago)?$",
    ({ where = "", many = "", what, ago }) => {
      const amount = many === "half an" ? 0.5 : many.startsWith("a") ? 1 : Number(many);
      return {
        ...{ kind: "timeThen", where },
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
  rule("(?:i am|we are)(?: now| currently)? (?:in|based in|living in) (?<where>.{2,60}?)(?: now| today)?$", home),
  rule(
    "(?:i live in|i am from|my (?:city|town|place|location|time ?zone) is|set my (?:city|place|time ?zone) to) (?<where>.{2,60})$",
    home,
  ),
];

function shift({ where = "" }: Groups): Question {
  return { kind: "shift", where };
}

function zone({ where = "" }: Groups): Question {
  return { kind: "zone", where };
}

function difference({ from = "", to = "" }: Groups): Question {
  return { kind: "difference", from, to };
}

function today(part: "date" | "week" | "month" | "year"): Rule[1] {
  return ({ where = "" }) => ({ kind: "today", where, part });
}

function between({ from = "", to = "", unit }: Groups): Question {
  return { kind: "between", from, to, ...unitOf(unit) };
}

function until({ date = "", unit, unitOnly }: Groups): Question {
  return { kind: "distance", direction: "until", date, ...unitOf(unit ?? unitOnly) };
}

function since({ date = "", unit }: Groups): Question {
  return { kind: "distance", direction: "since", date, ...unitOf(unit) };
}

function home({ where = "" }: Groups): Question {
  return { kind: "iAmIn", where };
}

const units: readonly SpanUnit[] = ["days", "weeks", "months", "years", "hours", "minutes"];

function unitOf(word: string | undefined): { unit?: SpanUnit } {
  const unit = word === "sleeps" ? "days" : units.find((one) => one === word?.toLowerCase());
  return unit === undefined ? {} : { unit };
}
