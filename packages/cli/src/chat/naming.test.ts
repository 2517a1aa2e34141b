import { expect, test } from "vitest";
import { addresseeOf, namedIn } from "./naming.ts";

const echo = { speakerUri: "tag:echo", name: "Echo" };
const bot = { speakerUri: "tag:bot", name: "Echo Bot" };
const ann = { speakerUri: "tag:ann", name: "Ann" };
const people = [echo, bot, ann];

test("a whole name is meant, the longer of two, whatever its case", () => {
  expect(namedIn("echo bot psst", people)).toEqual({ person: bot, rest: "psst" });
  expect(namedIn("@Echo psst", people)).toEqual({ person: echo, rest: "psst" });
});

test("the beginning of a name does, of any of its words, if only one begins so", () => {
  expect(namedIn("an psst", people)).toEqual({ person: ann, rest: "psst" });
  expect(namedIn("bo", people)).toEqual({ person: bot, rest: "" });
  expect(namedIn("ec psst", people)).toEqual({ problem: "ec may be Echo or Echo Bot: write more of it." });
});

test("whoever is not here is told with those who are", () => {
  expect(namedIn("Zoe psst", people)).toEqual({ problem: "Nobody here is called Zoe. Here are Echo, Echo Bot, Ann." });
  expect(namedIn("", people)).toEqual({ problem: "Say whom: Echo, Echo Bot, Ann." });
  expect(namedIn("Zoe", [])).toEqual({ problem: "Nobody else is here: /invite brings somebody." });
});

test("a whole name after an @ speaks to somebody in public, wherever it stands", () => {
  expect(addresseeOf("@Ann, are you there?", people)).toBe(ann.speakerUri);
  expect(addresseeOf("what do you say, @echo bot?", people)).toBe(bot.speakerUri);
  expect(addresseeOf("@Anna", people)).toBeUndefined();
  expect(addresseeOf("mail me@Ann", people)).toBeUndefined();
});
