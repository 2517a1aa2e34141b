import { describe, expect, test } from "vitest";
import { answerTo } from "./answer-question.ts";
import { parseQuestion } from "./parse-question.ts";

function answered(text: string) {
  const question = parseQuestion(text);
  const home = { zone: "Europe/Berlin", label: "Berlin", known: "stated" } as const;
  return question && answerTo(question, { now: new Date("2026-11-16T11:30:00Z"), home });
}

/** What it says when nobody called it. */
function openAnswer(text: string): string | undefined {
  const answer = answered(text);
  return answer?.ok ? answer.text : undefined;
}

describe("text that is no question about time gets no answer", () => {
  test.each([
    ...[
      "12:30 in the canteen",
      "5 pm in my office",
      "5 pm",
      "9 in Tokyo",
      "5 pm works for me",
      "what is 9 in a row for me",
    ],
    ...["", "?", "it is time to go", "what a time we had in Paris", "this is the last time", "once upon a time"],
    ...[
      "time",
      "today",
      "today is today",
      "time flies",
      "no time",
      "what time is dinner",
      "what time does the train leave",
      "what time is it there",
    ],
    ...[
      "I had a good time in Berlin",
      "time for Paris",
      "time to eat",
      "the time is ripe",
      "in time",
      "time in prison",
    ],
    ...["time in a bottle", "what time is it in the movie", "nice time", "long time no see", "times are hard"],
    ...["what is the date of the meeting", "what day is good for you", "what day is the party", "save the date"],
    ...[
      "how long until lunch",
      "how long until Friday the band plays",
      "what day is tomorrow the best for you",
      "how many days to cross the ocean",
      "how long is a rope",
      "how long have you been here",
    ],
    ...["have a nice day", "it was a long day", "day after day", "today is a good day", "tomorrow we go to Tokyo"],
    ...[
      "I am in love",
      "I am in trouble",
      "I'm in a hurry",
      "I am in",
      "I am happy",
      "we are in this together",
      "I'm in progress",
    ],
    ...[
      "Tokyo",
      "Berlin is large",
      "I am flying to Tokyo",
      "who is in Tokyo",
      "9 in Tokyo",
      "5 in cm",
      "what is 5 in cm",
    ],
    ...["it's 5 pm in the canteen", "it's 9 in Tokyo", "is it summer time for a swim", "when do we change clocks"],
    ...["half past 3", "half past 3 in the canteen", "a quarter to go"],
    ...["2 + 2", "what is 12% of 80", "5 miles in km", "100 km/h in mph", "3 to 4 in Berlin", "meet me at 9 in Berlin"],
    ...["at 9:30 am in New York I met Ann", "2026-11-16", "9:30", "9:30 am", "May I?", "march on", "what is love"],
    ...[
      "25:00 in Tokyo in Berlin",
      "13 pm in Tokyo in Berlin",
      "9:75 in Tokyo in Berlin",
      "what weekday is 2027-02-30",
    ],
    ...["x".repeat(500), "what time is it in ".repeat(40)],
  ])("%s", (text) => {
    expect(openAnswer(text)).toBeUndefined();
  });
});

test.each([
  ["what time is it in Paris, Texas", /I do not know the place "Paris, Texas"/u],
  ["what time is it in Atlantis", /I do not know the place "Atlantis"/u],
  ["when is it 9 in Atlantis for me", /I do not know the place "Atlantis"/u],
  ["when is it 9 in Brazil for me", /several time zones in Brazil: name a city/u],
  ["what weekday is the 31st of February", /I do not understand the date "the 31st of February"/u],
])("an unknown place or date is a problem text: %s", (text, problem) => {
  expect(answered(text)).toEqual({ ok: false, problem: expect.stringMatching(problem) });
});
