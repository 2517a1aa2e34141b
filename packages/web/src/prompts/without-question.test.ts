import type { DialogEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { withoutQuestion } from "./read-prompts.ts";

const saying = (text: string): DialogEvent => ({
  id: "de-1",
  speakerUri: "tag:guide",
  span: { startTime: "2026-11-16T10:00:00Z" },
  features: {
    text: { mimeType: "text/plain", tokens: [{ value: text }] },
    html: { mimeType: "text/html", tokens: [{ value: text }] },
  },
});
const tea = {
  text: "Tea?",
  options: ["Green", "Black"].map((label, index) => ({ id: `${index}`, label, value: label })),
};

test.each(["Tea?", " Tea? ", "Tea? (Green, Black)"])(
  "the text %j only repeats the question and is not shown",
  (text) => {
    expect(Object.keys(withoutQuestion(saying(text), tea).features)).toEqual(["html"]);
  },
);

test.each(["Tea? I ask because the kettle is broken.", "Tea? (Green)", "Well: Tea?", "Tea? (Green, Black) Or none."])(
  "the text %j says more and is shown",
  (text) => {
    const said = saying(text);
    expect(withoutQuestion(said, tea)).toBe(said);
  },
);

test("a question without its own text is shown once", () => {
  expect(withoutQuestion(saying(""), { text: "", options: [] }).features).not.toHaveProperty("text");
});
