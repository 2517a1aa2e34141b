import { type Agent, createAgent, type UtteranceInput } from "@plenary/sdk";
import { addressingOf, noAnswerText } from "../addressing.ts";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { keepNewest } from "../keep-newest.ts";
import { type ClockQuestion, parseQuestion } from "./parse-question.ts";
import type { Home } from "./places.ts";

export type ClockOptions = ReadyMadeOptions & {
  now?: () => Date;
  /** The clock's own zone. Default: the zone of the machine. */
  timeZone?: string;
};

/** Where each person is, by speakerUri. */
type Homes = Map<string, Home>;

const name = "Clock";
const apology = "I only know times and dates: try `what time is it in Tokyo` or `how many days until 24 December`.";
const homesMax = 64;

/** Answers questions about time, also when they are asked to everyone. When a person calls it with anything else, it says what it can do. */
export function createClock({ now = () => new Date(), timeZone, ...options }: ClockOptions = {}): Agent {
  const machine = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return createAgent<Homes>({
    manifest: manifestOf(about, options),
    greeting: "Hello, I am Clock. Ask me for the time anywhere, for a date, or when it is 9 in Tokyo for you.",
    newState: () => new Map(),
    async onUtterance(heard) {
      const { call, isPerson, text } = addressingOf(heard, name);
      if (call === "none") return undefined;
      const question = parseQuestion(text);
      const answered = question && (await answer(question, heard, now(), machine));
      if (answered?.ok) return answered.text;
      return call === "called" && isPerson ? (answered?.problem ?? noAnswerText(text, apology)) : undefined;
    },
  });
}

async function answer(question: ClockQuestion, heard: UtteranceInput<Homes>, now: Date, machine: string) {
  const { answerTo } = await import("./answer-question.ts");
  const { state, speakerUri, dialogEvent } = heard;
  const home: Home = state.get(speakerUri) ??
    (await homeIn(dialogEvent.span?.startTime)) ?? { zone: machine, label: machine, known: "machine" };
  const answered = answerTo(question, { now, home });
  if (answered.ok && answered.home !== undefined) keepNewest(state, speakerUri, answered.home, homesMax);
  return answered;
}

async function homeIn(startTime = ""): Promise<Home | undefined> {
  const offset = offsetMinutesOf(startTime);
  if (offset === undefined) return undefined;
  const { offsetPlace } = await import("./places.ts");
  const { zone, label } = offsetPlace(offset);
  return { zone, label, known: "offset" };
}

/** The offset of an RFC 3339 time. `Z` says nothing: most clients write it in every zone. */
export function offsetMinutesOf(time: string): number | undefined {
  const [, sign, hours, minutes] = /[Tt ].*([+-])(\d{2}):?(\d{2})$/u.exec(time) ?? [];
  if (sign === undefined) return undefined;
  const offset = Number(hours) * 60 + Number(minutes);
  return offset > 14 * 60 || (offset === 0 && sign === "-") ? undefined : offset * (sign === "-" ? -1 : 1);
}

const about = {
  name: "clock",
  conversationalName: name,
  synopsis: "Tells the time anywhere, converts between time zones, and counts days.",
  keyphrases: [
    ...["clock", "time", "world time", "time zone", "timezone", "current time", "local time", "time difference"],
    ...["date", "day", "weekday", "calendar", "days until", "convert time", "UTC"],
  ],
  descriptions: [
    "tells the current time and date in cities, countries and time zones",
    "converts times between time zones, such as 9 in Tokyo for you",
    "tells weekdays, counts the days until and between dates, and finds the date so many days away",
  ],
  languages: ["en"],
};
