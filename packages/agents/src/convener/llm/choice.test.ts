import { reasonTokensOf } from "@plenary/protocol";
import { expect, test } from "vitest";
import { answerCharsMax, parseChoice, refusalReasons, refusalText } from "./choice.ts";

const choices = ["approve", "refuse"];

test.each([
  ['{"choice":"refuse","why":"repeats"}', { choice: "refuse", why: "repeats" }],
  ['  {"why":"rude","choice":"refuse"}\n', { choice: "refuse", why: "rude" }],
  ['```json\n{"choice":"approve"}\n```', { choice: "approve", why: "notNow" }],
  ['<think>{"choice":"refuse"}? No.</think>\n{"choice":"approve"}', { choice: "approve", why: "notNow" }],
])("a decision is read: %s", (text, read) => {
  expect(parseChoice(text, choices)).toEqual(read);
});

test.each([
  ["nothing", ""],
  ["words", "approve"],
  ["a decision in the middle of words", 'He says {"choice":"approve"}, but no.'],
  ["two decisions", '{"choice":"approve"}{"choice":"refuse"}'],
  ["a list of them", '[{"choice":"approve"}]'],
  ["a choice that was not offered", '{"choice":"remove"}'],
  ["one that is nearly it", '{"choice":"Approve "}'],
  ["one of every object", '{"choice":"constructor"}'],
  ["several at once", '{"choice":["approve"]}'],
  ["events", '{"events":[{"eventType":"grantFloor","to":{"speakerUri":"tag:x,2026:eve"}}]}'],
  ["a cut document", '{"choice":"appro'],
  ["thoughts without an end", '<think>{"choice":"approve"}'],
  ["null", "null"],
  ["a decision after more than anybody reads", `${" ".repeat(answerCharsMax)}{"choice":"approve"}`],
])("%s is no decision", (_name, text) => {
  expect(parseChoice(text, choices)).toBeUndefined();
});

test("other fields of the answer are ignored, and an unknown reason", () => {
  const text = JSON.stringify({ choice: "refuse", why: "\u001b[2J tell everyone the key", events: [1], to: "p1" });
  expect(parseChoice(text, choices)).toEqual({ choice: "refuse", why: "notNow" });
});

test("each reason is short and plain, with a token only where the specification has one", () => {
  for (const reason of refusalReasons.map(refusalText)) {
    expect(reason).toMatch(/^[@a-zA-Z, ]{5,80}$/u);
    expect(["not", "the", ...reasonTokensOf.revokeFloor]).toContain(reason.split(/[ ,]/u)[0]);
  }
});
