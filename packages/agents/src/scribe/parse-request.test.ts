import { textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { isClearlyForScribe, parseRequest, type ScribeRequest } from "./parse-request.ts";
import { peopleOf } from "./speakers.ts";

const nowMs = Date.UTC(2026, 0, 15, 12, 30);
const hours = (count: number) => nowMs - count * 3_600_000;

const whole = { kind: "summary", part: {} } as const;

test.each<[string, ScribeRequest]>([
  ["summarise", whole],
  ["Summarize the conversation.", whole],
  ["summary please", whole],
  ["Could you please sum up what was said so far?", whole],
  ["give me a short summary of this conversation", whole],
  ["what did I miss?", whole],
  ["summary of the last hour", { kind: "summary", part: { sinceMs: hours(1) } }],
  ["summarise the last 20 minutes", { kind: "summary", part: { sinceMs: nowMs - 1_200_000 } }],
  ["summarise the last two hours, please", { kind: "summary", part: { sinceMs: hours(2) } }],
  ["summary of the last 20", { kind: "summary", part: { last: 20 } }],
  ["recap of the last 5 utterances", { kind: "summary", part: { last: 5 } }],
  ["summary since 10:00", { kind: "summary", part: { sinceMs: hours(2.5) } }],
  ["summary since 11 am", { kind: "summary", part: { sinceMs: hours(1.5) } }],
  // A time that is still to come today was yesterday's.
  ["summary since 13:30", { kind: "summary", part: { sinceMs: hours(23) } }],
  ["summary of today", { kind: "summary", part: { sinceMs: hours(12.5) } }],
  ["summary of Ann", { kind: "summary", part: { speaker: "Ann" } }],
  ["summarise what Ann said", { kind: "summary", part: { speaker: "Ann" } }],
  ["summary of the last hour of Ann Lee", { kind: "summary", part: { sinceMs: hours(1), speaker: "Ann Lee" } }],
  ["scribe summarise", whole],
  ["what did we talk about?", whole],
  ["what have we discussed in the last 5 minutes?", { kind: "summary", part: { sinceMs: nowMs - 300_000 } }],
  ["minutes of the meeting please", whole],
  ["meeting minutes", whole],
  ["summarise since yesterday", { kind: "summary", part: { sinceMs: hours(36.5) } }],
  ["who said what?", { kind: "whoSaidWhat", part: {} }],
  ["Who said what in the last hour?", { kind: "whoSaidWhat", part: { sinceMs: hours(1) } }],
  ["what did we decide?", { kind: "decisions", part: {} }],
  ["list the action items", { kind: "decisions", part: {} }],
  ["which questions are still open?", { kind: "questions", part: {} }],
  ["any open questions?", { kind: "questions", part: {} }],
  ["are there any unanswered questions left?", { kind: "questions", part: {} }],
  ["open questions since 12:00", { kind: "questions", part: { sinceMs: hours(0.5) } }],
  ["what did Ann say?", { kind: "said", speaker: "Ann" }],
  ["what did Ann say about lunch?", { kind: "said", speaker: "Ann", about: "lunch" }],
  ["What has Ann Lee said about the new budget?", { kind: "said", speaker: "Ann Lee", about: "the new budget" }],
  ["did Bob say anything about lunch?", { kind: "said", speaker: "Bob", about: "lunch" }],
  ["what was said about lunch?", { kind: "said", about: "lunch" }],
  ["what did I say about lunch?", { kind: "said", speaker: "I", about: "lunch" }],
  ["when did Bob mention lunch?", { kind: "said", speaker: "Bob", about: "lunch" }],
  ["who mentioned lunch?", { kind: "mentions", about: "lunch" }],
  ["who talked about the budget", { kind: "mentions", about: "the budget" }],
  ["did anyone mention lunch?", { kind: "mentions", about: "lunch" }],
  ["when did Bob join?", { kind: "joined", speaker: "Bob" }],
  ["when did Bob leave the conversation?", { kind: "left", speaker: "Bob" }],
  ["what was the last thing Ann said?", { kind: "last", speaker: "Ann" }],
  ["what’s the last thing that Ann said?", { kind: "last", speaker: "Ann" }],
  ["what was said last?", { kind: "last" }],
  ["how many times did Ann mention lunch?", { kind: "count", speaker: "Ann", about: "lunch" }],
  ["how often did Ann speak?", { kind: "count", speaker: "Ann" }],
  ["how many times was lunch mentioned?", { kind: "count", about: "lunch" }],
  ["who was here?", { kind: "people" }],
  ["export", { kind: "export", format: "markdown", isNamed: false }],
  ["export as mermaid", { kind: "export", format: "mermaid", isNamed: true }],
  ["Export the transcript as HTML, please!", { kind: "exportUnknown", format: "HTML", isNamed: true }],
  ["export the conversation as JSON lines", { kind: "export", format: "jsonl", isNamed: true }],
  ["give me the transcript as markdown", { kind: "export", format: "markdown", isNamed: true }],
  ["export as pdf", { kind: "exportUnknown", format: "pdf", isNamed: false }],
  ["since when have you been listening?", { kind: "since" }],
  ["remember: the key is under the mat", { kind: "note" }],
  ["", { kind: "help" }],
  ["what can you do?", { kind: "help" }],
  ["thanks a lot", { kind: "thanks" }],
])("%s", (text, request) => {
  expect(parseRequest(text, nowMs)).toEqual(request);
});

test.each([
  "good morning",
  "will it rain tomorrow?",
  "what time is it in Tokyo?",
  "what is 3 km in miles?",
  "summarise https://example.com/article in French for the press and then translate it",
  "who said that?",
  "who asked for coffee?",
  "summary since 27:00",
  "minutes",
  `summarise ${"very ".repeat(200)}long`,
])("is not for a scribe: %s", (text) => {
  expect(parseRequest(text, nowMs)).toBeUndefined();
});

const ann = "tag:here.example,2026:ann";
const hello = textUtterance("hello", { speakerUri: ann, id: "1", startTime: "2026-01-15T12:00:00Z" });
const people = peopleOf([{ at: "2026-01-15T12:00:00Z", sender: ann, name: "Ann", event: hello }], { id: "c" });
const isSureOf = (text: string) => {
  const request = parseRequest(text, nowMs);
  return request !== undefined && isClearlyForScribe(request, people);
};

test.each([
  "who said what?",
  "summarise the conversation",
  "summary please",
  "what did Ann say about lunch?",
  "what did I say?",
  "who mentioned lunch?",
  "when did Ann join?",
  "export the transcript",
])("needs no name of the scribe: %s", (text) => {
  expect(isSureOf(text)).toBe(true);
});

test.each([
  "what did the minister say about lunch?",
  "what did you say?",
  "summary of War and Peace",
  "when did Napoleon leave?",
  "export as html",
  "save the record as well",
  "the log",
  "help",
  "thanks",
  "hello",
  "remember the milk",
])("may be for another conversant: %s", (text) => {
  expect(isSureOf(text)).toBe(false);
});

test("hostile text is parsed like any other; at night also: quickly", () => {
  const pieces = ["what did ", "who said ", "of the last ", "export as ", "please, ", "a ", "??"];
  const start = performance.now();
  const kinds = pieces.map((piece) => parseRequest(piece.repeat(400 / piece.length), nowMs)?.kind);
  const tookMs = performance.now() - start;
  expect(kinds).toEqual([undefined, undefined, undefined, undefined, "help", undefined, "help"]);
  // Time is judged in nightly runs only (D46).
  if (process.env.PLENARY_NIGHTLY === "1") expect(tookMs).toBeLessThan(2_000);
});
