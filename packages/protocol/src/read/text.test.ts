import { expect, test } from "vitest";
import type { DialogEvent } from "../model/dialog-event.ts";
import type { Token } from "../model/feature.ts";
import { needsFetching, textOf } from "./text.ts";

const saying = (...tokens: Token[]): DialogEvent => ({
  id: "de:1",
  speakerUri: "tag:ann.example,2025:1",
  span: { startTime: "2025-01-31T10:05:00Z" },
  features: { text: { mimeType: "text/plain", tokens } },
});

test("the text is the concatenation of its tokens", () => {
  const dialogEvent = saying({ value: "I need my " }, { value: "repeat" }, { value: " medication" });
  expect(textOf(dialogEvent)).toBe("I need my repeat medication");
  expect(needsFetching(dialogEvent)).toBe(false);
});

test("text at a valueUrl is left out, and needsFetching reports it", () => {
  const dialogEvent = saying({ value: "Here it is: " }, { valueUrl: "https://texts.example/1" });
  expect(textOf(dialogEvent)).toBe("Here it is: ");
  expect(needsFetching(dialogEvent)).toBe(true);
});

test("only the text feature counts as text", () => {
  const { text: _, ...others } = saying().features;
  const audio = { mimeType: "audio/wav", tokens: [{ valueUrl: "https://media.example/1.wav" }] };
  const dialogEvent = { ...saying(), features: { ...others, audio } };
  expect(textOf(dialogEvent)).toBe("");
  expect(needsFetching(dialogEvent)).toBe(false);
});

test("a token that is no string adds no text", () => {
  expect(textOf(saying({ value: 7 }, { value: "seven" }))).toBe("seven");
});
