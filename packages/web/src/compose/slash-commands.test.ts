import { expect, test } from "vitest";
import { commandIn, commandsMatching, isMistypedWhisper, whisperIn } from "./slash-commands.ts";

const people = [
  { speakerUri: "tag:echo", name: "Echo" },
  { speakerUri: "tag:echo-bot", name: "Echo Bot" },
];

test("a command is known by its name, and what follows belongs to it", () => {
  expect(commandIn("/hand")).toEqual({ name: "hand", rest: "" });
  expect(commandIn(" /Rename  The big\nplan ")).toEqual({ name: "rename", rest: "The big\nplan" });
});

test("two slashes, an unknown word and a path are said as they stand", () => {
  for (const text of ["//stop", "/shrug", "/stop/now", "/", "stop", "say /stop", "/stopp"]) {
    expect(commandIn(text)).toBeUndefined();
  }
});

test("what is typed after a slash at the start narrows the list", () => {
  expect(commandsMatching("/", 1)).toHaveLength(8);
  expect(commandsMatching("/h", 2).map(({ name }) => name)).toEqual(["hand", "help"]);
  expect(commandsMatching("/hand", 2).map(({ name }) => name)).toEqual([]);
  expect(commandsMatching("a /h", 4)).toEqual([]);
  expect(commandsMatching("/rename x", 9)).toEqual([]);
});

test("a whisper by command names its addressee, with or without an @, and may bring its words", () => {
  expect(whisperIn("Echo Bot psst", people)).toEqual({ whom: "tag:echo-bot", words: "psst" });
  expect(whisperIn("@echo", people)).toEqual({ whom: "tag:echo", words: "" });
  expect(whisperIn("Nobody psst", people)).toBeUndefined();
  expect(whisperIn("", people)).toBeUndefined();
});

test("a misspelt whisper is known for one, so that it is not said to everyone", () => {
  for (const text of ["/w Echo psst", "/whispr Echo psst", "/Wisper x", "/msg Echo hi", "/wh"]) {
    expect([text, isMistypedWhisper(text)]).toEqual([text, true]);
  }
  for (const text of ["/whisper Echo psst", "/shrug", "//w", "/wave", "what"])
    expect(isMistypedWhisper(text)).toBe(false);
});
