import { expect, test } from "vitest";
import type { UtteranceLine } from "./line.ts";
import { choiceIn, createQuestions, type Question, questionIn } from "./questions.ts";
import { lineOf } from "./transcript-lines.ts";

const me = "tag:me";
const options = [
  { id: "g", label: "Green tea", value: "green" },
  { id: "b", label: "Black tea", value: "black" },
  { id: "3", label: "2", value: "two" },
];
const radio: Question = {
  id: "q1",
  sender: "tag:waiter",
  isWhisper: false,
  inputType: "radio",
  text: "Tea?",
  options,
  isRequired: true,
};
const people = { kindOf: (uri: string) => (uri === "tag:waiter" ? ("agent" as const) : ("person" as const)) };

function said(sender: string, text: string, more: { to?: string; features?: object } = {}): UtteranceLine {
  const dialogEvent = {
    id: "d1",
    speakerUri: sender,
    span: { startTime: "2026-11-16T10:00:00Z" },
    features: { text: { mimeType: "text/plain", tokens: [{ value: text }] }, ...more.features },
  };
  const event = {
    eventType: "utterance",
    ...(more.to && { to: { speakerUri: more.to } }),
    parameters: { dialogEvent },
  };
  const line = lineOf({ seq: 1, at: "2026-11-16T10:00:00Z", kind: "event", sender, event } as never, "tag:floor");
  if (line?.kind !== "utterance") throw new Error("this is an utterance");
  return line;
}

function asked(value: object, to?: string): UtteranceLine {
  const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] };
  return said("tag:waiter", "Tea?", { features: { interaction }, ...(to && { to }) });
}

test.each([
  ["1", ["green"]],
  ["black TEA", ["black"]],
  ["b", ["black"]],
  // The label 2 is matched before the second position.
  ["2", ["two"]],
])("%s chooses %s", (text, values) => {
  expect(choiceIn(radio, text)).toEqual({ values });
});

test("several options are chosen with commas, each once", () => {
  const checkbox: Question = { ...radio, inputType: "checkbox", options: options.slice(0, 2) };
  expect(choiceIn(checkbox, "1,2")).toEqual({ values: ["green", "black"] });
  expect(choiceIn(checkbox, "2, green tea")).toEqual({ values: ["black", "green"] });
  expect(choiceIn(checkbox, "1 1")).toEqual({ values: ["green"] });
  expect(choiceIn(checkbox, "1,7")).toEqual({ lack: "Choose numbers from 1 to 2, such as 1,3." });
});

test("an unknown number is no choice; other text is an ordinary utterance", () => {
  expect(choiceIn(radio, "9")).toEqual({ lack: "Choose a number from 1 to 3." });
  expect(choiceIn(radio, "what is green tea?")).toBeUndefined();
  expect(choiceIn({ ...radio, inputType: "text", options: [] }, "Earl Grey")).toEqual({ values: ["Earl Grey"] });
});

test("a question waits for its addressee until it is answered or skipped", () => {
  const questions = createQuestions(me, people);
  questions.take(asked({ id: "q0", options: ["a"] }, "tag:other"));
  expect(questions.newest(0)).toBeUndefined();
  questions.take(asked({ id: "q1", options: ["Green"] }, me));
  questions.take(asked({ id: "q2", options: ["Black"] }));
  expect(questions.newest(0)?.id).toBe("q2");
  questions.take(said("tag:other", "black"));
  expect(questions.newest(0)?.id).toBe("q1");
  const reply = { mimeType: "x/y", tokens: [{ value: { id: "q1", values: [] } }] };
  questions.take(said(me, "No answer", { features: { interactionReply: reply } }));
  expect(questions.newest(0)).toBeUndefined();
});

test("a repeated question replaces the earlier one, and a notification withdraws it", () => {
  const questions = createQuestions(me, people);
  const other = {
    mimeType: "application/vnd.plenary.interaction+json",
    tokens: [{ value: { id: "q1", text: "Milk?" } }],
  };
  questions.take(asked({ id: "q1", text: "Tea?", options: ["Green"] }, me));
  questions.take(said("tag:other", "Milk?", { features: { interaction: other } }));
  questions.take(asked({ id: "q1", text: "No such tea. Tea?", options: ["Green"] }, me));
  expect(questions.open().map(({ text }) => text)).toEqual(["Milk?", "No such tea. Tea?"]);
  questions.take(asked({ id: "q1", input_type: "notification", text: "Never mind." }, me));
  expect(questions.open().map(({ text }) => text)).toEqual(["Milk?"]);
});

test("utterances of agents do not answer a question, and questions of an agent that left are dropped", () => {
  const questions = createQuestions(me, { kindOf: () => "agent" });
  questions.take(asked({ id: "q1", options: ["Green"] }));
  questions.take(said("tag:other", "green"));
  expect(questions.newest(0)?.id).toBe("q1");
  questions.drop("tag:waiter");
  expect(questions.newest(0)).toBeUndefined();
});

test("a question ends at its timeout", () => {
  expect(questionIn(asked({ id: "q1", timeout: 30 }))?.untilMs).toBe(Date.parse("2026-11-16T10:00:30Z"));
  const questions = createQuestions(me, people);
  questions.take(asked({ id: "q1", timeout: 30 }));
  expect(questions.newest(Date.parse("2026-11-16T10:00:29Z"))?.id).toBe("q1");
  expect(questions.newest(Date.parse("2026-11-16T10:00:30Z"))).toBeUndefined();
});

test("an incomplete question is read as far as possible", () => {
  const broken = asked({ input_type: "slider", options: ["A", { value: 2 }, null, {}], text: 7 });
  expect(questionIn(broken)).toMatchObject({
    inputType: "text",
    text: "7",
    id: "d1",
    options: [{ label: "A" }, { label: "2" }],
  });
  const binary = questionIn(asked({ input_type: "binary_choice" }));
  expect(binary?.options.map(({ label }) => label)).toEqual(["Yes", "No"]);
});
