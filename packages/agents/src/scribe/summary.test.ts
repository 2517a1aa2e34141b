import { textUtterance } from "@plenary/protocol";
import type { HistoryEntry } from "@plenary/sdk";
import { describe, expect, test } from "vitest";
import { scribe, uriOf } from "../testing/scribe-fixture.ts";
import { howOften, theLast, whatWasSaid, whenJoinedOrLeft, whoMentioned, whoWasHere } from "./answer-request.ts";
import { type History, historyOf } from "./history.ts";
import { listOf, summaryOf, whoSaidWhat } from "./summary.ts";

const nowMs = Date.UTC(2026, 0, 15, 12, 30);

/** One utterance a minute, from 10:00 on. */
function timeline(lines: readonly (readonly [string, string])[]): HistoryEntry[] {
  return lines.map(([name, text], index) => {
    const at = new Date(Date.UTC(2026, 0, 15, 10, index)).toISOString();
    const event = textUtterance(text, { speakerUri: uriOf(name), id: `u${index}`, startTime: at });
    return { at, sender: uriOf(name), name, event };
  });
}

function historyFrom(lines: readonly HistoryEntry[], asker = "Ann"): History {
  const self = { speakerUri: scribe, name: "Scribe" };
  return historyOf(lines, lines, { self, asker: uriOf(asker), conversation: { id: "c" }, questionId: "?", nowMs });
}

const party = timeline([
  ["Ann", "Good morning. The team wants to plan the summer party."],
  ["Bob", "How about a picnic in the park? The park is free in June."],
  ["Ann", "A picnic sounds great. Let's have the picnic on Friday."],
  ["Bob", "Who brings the food?"],
  ["Ann", "I will order food from the bakery by Wednesday."],
  ["Cid", "hm"],
  ["Bob", "The budget must not exceed 300 euros, the budget is tight."],
  ["Ann", "The budget for the picnic is fine, the park costs nothing."],
  ["Bob", "Does anybody own a marquee?"],
]);
const history = historyFrom(party);

describe("a summary", () => {
  test("has participants, times, decisions, open questions and key terms in at most twelve lines", () => {
    expect(summaryOf({}, history).split("\n")).toEqual([
      "**Summary**: from 10:00 to 10:08 UTC, 9 utterances. I have listened since 10:00 UTC.",
      "- **Took part:** Ann (4), Bob (4), Cid (1)",
      "- **Key terms:** picnic, park, budget, food",
      "- **Decisions and tasks:**",
      '  - **Ann** (10:02): "Let\'s have the picnic on Friday."',
      '  - **Ann** (10:04): "I will order food from the bakery by Wednesday."',
      "- **Questions without an answer that I noticed:**",
      '  - **Bob** (10:08): "Does anybody own a marquee?"',
      "- **In their words:**",
      expect.stringMatching(/^ {2}- \*\*\w+\*\* \(10:0\d\): "/u),
      expect.stringMatching(/^ {2}- \*\*\w+\*\* \(10:0\d\): "/u),
      expect.stringMatching(/^ {2}- \*\*\w+\*\* \(10:0\d\): "/u),
    ]);
  });

  test("quotes only what was said, each sentence once", () => {
    const quotes = [...summaryOf({}, history).matchAll(/: "(.*)"$/gmu)].map(([, quote = ""]) => quote);
    const everything = party.map(({ event }) => JSON.stringify(event)).join("\n");
    for (const quote of quotes) expect(everything).toContain(quote);
    expect(new Set(quotes).size).toBe(quotes.length);
  });

  test("reads list items one by one, without their markers", () => {
    const list =
      "Here we are:\n\n- **Clock**: `@Clock what time is it?`\n- **Sums**: `@Sums what is 2 + 2?`\n\nThe whole company\nsits together.";
    const said = timeline([
      ["Guide", list],
      ...Array.from({ length: 4 }, (_, index) => ["Ann", `word ${index}`] as const),
    ]);
    expect(listOf("questions", {}, historyFrom(said))).toMatch(/^I noticed no question/u);
    const lines = summaryOf({}, historyFrom(said)).split("\n");
    expect(lines).toContain('  - **Guide** (10:00): "\\*\\*Clock\\*\\*: \\`@Clock what time is it?\\`"');
    expect(lines).toContain('  - **Guide** (10:00): "The whole company sits together."');
  });

  test("may be of one speaker, of the newest utterances, or since a time", () => {
    expect(summaryOf({ speaker: "Bob" }, history)).toMatch(/^\*\*Summary of Bob\*\*: from 10:01 to 10:08 UTC, 4/u);
    expect(summaryOf({ speaker: "I" }, history)).toMatch(/^\*\*Summary of you\*\*: from 10:00 to 10:07 UTC, 4/u);
    expect(summaryOf({ last: 1 }, history)).toMatch(/^\*\*Summary, the last 1\*\*: at 10:08 UTC, 1 utterance\./u);
    const sinceMs = Date.UTC(2026, 0, 15, 10, 6);
    expect(summaryOf({ sinceMs }, history)).toMatch(/^\*\*Summary since 10:06 UTC\*\*: from 10:06 to 10:08 UTC, 3/u);
    expect(summaryOf({ speaker: "Zed" }, history)).toBe("I know no one called Zed here.");
  });

  test("of an empty record says so", () => {
    expect(summaryOf({}, historyFrom([]))).toBe(
      "I have no utterances. I have heard nothing yet: I listen from now on.",
    );
    expect(summaryOf({ sinceMs: nowMs }, history)).toBe(
      "I have no utterances since 12:30 UTC. I have listened since 10:00 UTC.",
    );
  });

  test("stays short for long records, and is deterministic", () => {
    const words = ["budget", "picnic", "park", "marquee", "rain", "food", "will", "should", "deadline", "team"];
    const chatter = timeline(
      Array.from({ length: 2_000 }, (_, index) => [
        `Guest ${index % 40}`,
        `${words[index % 10]} ${words[(index * 7) % 10]} and ${words[(index * 3) % 10]} ${index}${index % 5 ? "." : "?"}`,
      ]),
    );
    const summary = summaryOf({}, historyFrom(chatter));
    expect(summary.split("\n").length).toBeLessThanOrEqual(12);
    expect(summary.length).toBeLessThan(4_000);
    expect(summaryOf({}, historyFrom(chatter))).toBe(summary);
  });
});

test("who said what is a list for each speaker", () => {
  expect(whoSaidWhat({ last: 3 }, history).split("\n")).toEqual([
    "**Who said what, the last 3**: from 10:06 to 10:08 UTC.",
    "- **Bob** (2 utterances):",
    '  - 10:06: "The budget must not exceed 300 euros, the budget is tight."',
    '  - 10:08: "Does anybody own a marquee?"',
    "- **Ann** (1 utterance):",
    '  - 10:07: "The budget for the picnic is fine, the park costs nothing."',
  ]);
});

test("open questions are those without a later answer", () => {
  expect(listOf("questions", {}, history)).toBe(
    '**Questions without an answer that I noticed** (UTC):\n- **Bob** (10:08): "Does anybody own a marquee?"',
  );
});

describe("direct answers", () => {
  test("what a speaker said about a topic, also by other forms of the word", async () => {
    expect(await whatWasSaid({ speaker: "I", about: "bakery" }, history)).toMatch(/^\*\*You about bakery\*\*/u);
    expect(await whatWasSaid({ speaker: "Ann", about: "picnics" }, history)).toBe(
      [
        "**Ann about picnics** (2 utterances, UTC):",
        '- **Ann** (10:02): "A picnic sounds great. Let\'s have the picnic on Friday."',
        '- **Ann** (10:07): "The budget for the picnic is fine, the park costs nothing."',
      ].join("\n"),
    );
    expect(await whatWasSaid({ speaker: "Cid", about: "picnics" }, history)).toBe(
      "I have not heard Cid say anything about picnics. I have listened since 10:00 UTC.",
    );
  });

  test("who mentioned a topic", async () => {
    expect(await whoMentioned("the budget", history)).toMatch(/^\*\*budget\*\* was mentioned by Bob, Ann \(UTC\):\n/u);
    expect(await whoMentioned("dragons", history)).toMatch(/^I have not heard anyone mention dragons\./u);
    expect(await whoMentioned("the", history)).toMatch(/^\*\*the\*\* was mentioned by /u);
  });

  test("the last utterance of a speaker, and how often a speaker spoke", () => {
    expect(theLast("Ann", history)).toBe(
      '**Ann** (10:07): "The budget for the picnic is fine, the park costs nothing." (UTC)',
    );
    expect(howOften({ speaker: "Bob", about: "budget" }, history)).toMatch(/^budget was said 2 times by Bob\./u);
    expect(howOften({ speaker: "Bob" }, history)).toMatch(/^4 utterances by Bob\./u);
  });

  test("when a speaker joined and left, as far as it is known", () => {
    const at = "2026-01-15T11:15:00Z";
    const came: HistoryEntry = { at, sender: uriOf("Dan"), name: "Dan", event: { eventType: "acceptInvite" } };
    const went: HistoryEntry = { ...came, at: "2026-01-14T11:20:00Z", event: { eventType: "bye" } };
    const more = historyFrom([...party, came, went]);
    expect(whenJoinedOrLeft("joined", "Dan", more)).toBe("Dan joined at 11:15 UTC.");
    expect(whenJoinedOrLeft("left", "Dan", more)).toBe("Dan left at 2026-01-14 11:20 UTC.");
    expect(whenJoinedOrLeft("joined", "Bob", more)).toBe(
      "I do not know when Bob joined. I have listened since 10:00 UTC.",
    );
  });

  test("who was here: all but the scribe", () => {
    expect(whoWasHere(historyFrom([...party, ...timeline([["Scribe", "Hello."]])]))).toBe(
      "**Who took part** (UTC):\n- **Ann**: 4 utterances\n- **Bob**: 4 utterances\n- **Cid**: 1 utterance",
    );
  });

  test("a shared name means both speakers, with distinct labels", async () => {
    const other = { ...timeline([["Eve", "I am also Bob, and I hate picnics."]])[0], name: "Bob" } as HistoryEntry;
    const answer = await whatWasSaid({ speaker: "bob", about: "picnic" }, historyFrom([...party, other]));
    expect(answer).toContain(`**Bob (${uriOf("Bob")})** (10:01)`);
    expect(answer).toContain(`**Bob (${uriOf("Eve")})** (10:00)`);
  });
});

test("questions to the scribe, its own answers and erased utterances are not in the record", () => {
  const told = timeline([
    ["Ann", "Scribe, summarise"],
    ["Bob", "who said what?"],
    ["Scribe", "Summary: everything."],
    ["Ann", "[erased]"],
    ["Bob", "hello"],
    ["Ann", "Scribe, note that the key is under the mat"],
  ]);
  expect(historyFrom(told).said.map(({ text }) => text)).toEqual([
    "hello",
    "Scribe, note that the key is under the mat",
  ]);
});

test("quotes stay on one line with Markdown escaped", () => {
  const evil =
    "**Bob** said\n\n# Summary\n- [x](http://evil.example) ![i](http://evil.example/i.png) <b>`|\u202eabc\u0007";
  const [line = ""] = theLast("Ann", historyFrom(timeline([["Ann", evil.repeat(50)]]))).split("\n");
  expect(line).toBe(theLast("Ann", historyFrom(timeline([["Ann", evil.repeat(50)]]))));
  expect(line.length).toBeLessThan(500);
  expect(line).not.toMatch(/\p{Cc}|\p{Cf}/u);
  expect(line.slice("**Ann** ".length)).not.toMatch(/(?<!\\)[*[\]<>`|]/u);
});
