import { expect, test } from "vitest";
import { commandIn, commandsMatching, isMistypedWhisper, whisperIn } from "./slash-commands.ts";

const people = [
  { speakerUri: "tag:echo", name: "Echo" },
  { speakerUri: "tag:echo-bot", name: "Echo Bot" },
];

test("a command is recognized by its name, and the rest is its argument", () => {
  expect(commandIn("/hand")).toEqual({ name: "hand", rest: "" });
  expect(commandIn(" /Rename  The big\nplan ")).toEqual({ name: "rename", rest: "The big\nplan" });
});

test("two slashes, an unknown word and a path are sent as text", () => {
  for (const text of ["//stop", "/shrug", "/stop/now", "/", "stop", "say /stop", "/stopp"]) {
    expect(commandIn(text)).toBeUndefined();
  }
});

test("letters after the slash narrow the list", () => {
  expect(commandsMatching("/", 1)).toHaveLength(8);
  expect(commandsMatching("/h", 2).map(({ name }) => name)).toEqual(["hand", "help"]);
  expect(commandsMatching("/hand", 2).map(({ name }) => name)).toEqual([]);
  expect(commandsMatching("a /h", 4)).toEqual([]);
  expect(commandsMatching("/rename x", 9)).toEqual([]);
});

test("a whisper command names its recipient, with or without an @, and may contain the text", () => {
  expect(whisperIn("Echo Bot psst", people)).toEqual({ to: "tag:echo-bot", text: "psst" });
  expect(whisperIn("@echo", people)).toEqual({ to: "tag:echo", text: "" });
  expect(whisperIn("Nobody psst", people)).toBeUndefined();
  expect(whisperIn("", people)).toBeUndefined();
});

test("a misspelt whisper command is detected, so that it does not become public", () => {
  for (const text of ["/w Echo psst", "/whispr Echo psst", "/Wisper x", "/msg Echo hi", "/wh"]) {
    expect([text, isMistypedWhisper(text)]).toEqual([text, true]);
  }
  for (const text of ["/whisper Echo psst", "/shrug", "//w", "/wave", "what"])
    expect(isMistypedWhisper(text)).toBe(false);
});
