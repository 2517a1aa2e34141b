import { expect, test } from "vitest";
import { parseInput } from "./commands.ts";

test("text is sent, also with a slash inside", () => {
  expect(parseInput("  hello  ")).toEqual({ kind: "words", text: "hello" });
  expect(parseInput("see /usr/bin")).toEqual({ kind: "words", text: "see /usr/bin" });
  expect(parseInput("//usr/bin is full")).toEqual({ kind: "words", text: "/usr/bin is full" });
  expect(parseInput("//help is a command")).toEqual({ kind: "words", text: "/help is a command" });
});

test("commands have names and aliases", () => {
  expect(parseInput("/whisper Ann psst")).toEqual({ kind: "command", name: "whisper", rest: "Ann psst" });
  expect(parseInput("/W Ann psst")).toEqual({ kind: "command", name: "whisper", rest: "Ann psst" });
  expect(parseInput("/hand")).toEqual({ kind: "command", name: "request", rest: "" });
  expect(parseInput("/rename Budget")).toEqual({ kind: "command", name: "title", rest: "Budget" });
});

test.each([
  ["/whsper Ann psst", "whisper"],
  ["/whipser Ann psst", "whisper"],
  ["/inv", "invite"],
  ["/manifest", "manifests"],
  ["/exprot", "export"],
  ["/zzzzzz", undefined],
  ["/ whisper Ann psst", "whisper"],
  ["/whisper: Ann psst", "whisper"],
  ["/whisper/whisper Ann psst", "whisper"],
  ["/", undefined],
])("%s is no command and is not said; it may have been %s", (text, meant) => {
  expect(parseInput(text)).toMatchObject({ kind: "unknown", meant });
});
