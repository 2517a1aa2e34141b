import type { Conversation } from "@plenary/protocol";
import { speakerKind } from "@plenary/sdk";
import { expect, test } from "vitest";
import { atEnd, atStart } from "./lesson.ts";
import {
  agentsHere,
  type ConversationView,
  isForAnother,
  isLearner,
  keepProgress,
  type LessonState,
  newLessonState,
  peopleHere,
  progressOf,
} from "./participants.ts";

const ann = "tag:people.example,2026:ann";
const bob = "tag:people.example,2026:bob";
const taught = (host?: string): LessonState => ({ ...newLessonState(), host });

function roomOf(conversation: Conversation): ConversationView {
  return { conversation, speakerKind: (speakerUri) => speakerKind(speakerUri, conversation) };
}

const texts = { serviceUrl: "https://people.example/", organization: "Example", synopsis: "A person at this floor" };

/** Beside Bob, who is marked as a person. */
function among(identification: object, floorGranted?: string[]): ConversationView {
  const marked = { ...texts, speakerUri: bob, conversationalName: "", role: "User" };
  return roomOf({
    id: "c1",
    conversants: [
      { identification: { ...texts, speakerUri: ann, conversationalName: "", ...identification } },
      { identification: marked },
    ],
    ...(floorGranted && { floorGranted }),
  });
}

const user = { role: "User" };

test.each([
  ["is marked as one", among(user), true],
  ["differs in case and a slash at the end", among({ ...user, speakerUri: `${ann.toUpperCase()}/` }), true],
  ["is not marked where others are", among({}), false],
  ["is not at the floor", among({ speakerUri: "tag:people.example,2026:cleo" }), true],
  ["is at a floor that lists nobody", roomOf({ id: "c1" }), true],
])("who %s is a person or not", (_who, room, isOne) => {
  expect(isLearner(ann, room, taught("tag:floor.example,2026:floor"))).toBe(isOne);
});

test("who has invited the guide is taught even where it is an agent", () => {
  expect(isLearner(ann, among({}), taught(ann))).toBe(true);
});

const clock = { speakerUri: "tag:clock", serviceUrl: "http://127.0.0.1:7536/agents/clock" };

test("other agents are known by their address or their name, and count while they have the floor", () => {
  expect(agentsHere(among(clock))).toEqual(["Clock"]);
  expect(agentsHere(among({ ...clock, serviceUrl: "http://127.0.0.1:8080", conversationalName: "Watch" }))).toEqual([
    "Watch",
  ]);
  expect(agentsHere(among(clock, ["tag:clock"]))).toEqual(["Clock"]);
  expect(agentsHere(among(clock, [ann]))).toEqual([]);
  expect(agentsHere(among(user))).toEqual([]);
  expect(agentsHere(among({ ...clock, conversationalName: "Guide" }))).toEqual([]);
  expect(agentsHere(roomOf({ id: "c1" }))).toEqual([]);
});

test("an agent whose name is more than a name is not named", () => {
  for (const conversationalName of ["`rm -rf`", "**Bold**", "a".repeat(41), "[x](http://x)"]) {
    expect(agentsHere(among({ ...clock, conversationalName }))).toEqual([]);
  }
});

test("people are told of by name, unless it is more than a name; agents are none", () => {
  expect(peopleHere(among({ ...user, conversationalName: "Ann" }))).toEqual(["Ann"]);
  expect(peopleHere(among({ ...clock, conversationalName: "Clock", synopsis: "Tells the time." }))).toEqual([]);
  for (const conversationalName of ["", "**Ann**", "Ann\n- Bob", "[x](http://x)", "\u001b[2J"]) {
    expect(peopleHere(among({ ...user, conversationalName }))).toEqual([]);
  }
});

test("of several agents those come first whom it knows what to ask", () => {
  const both = among({ ...clock, speakerUri: "tag:zoe", conversationalName: "Zoe" });
  const conversants = [both, among(clock)].flatMap(({ conversation }) => conversation.conversants ?? []);
  expect(agentsHere(roomOf({ id: "c1", conversants }))).toEqual(["Clock", "Zoe"]);
});

test("what an agent says that it is for is for that agent", () => {
  const here = among({ ...clock, synopsis: "Tells the time, anywhere." });
  expect(isForAnother("what time is it?", here)).toBe(true);
  expect(isForAnother("good morning", here)).toBe(false);
  expect(isForAnother("what time is it?", among({ ...clock, conversationalName: "Guide", synopsis: "time" }))).toBe(
    false,
  );
});

test("a lesson begins for whoever comes after the invite; without one there is none", () => {
  expect(progressOf(taught(ann), "tag:new")).toEqual(atStart);
  expect(progressOf(newLessonState(), "tag:new")).toEqual(atEnd);
});

test("of many people those heard last are remembered", () => {
  const many = taught(ann);
  for (let n = 0; n < 64; n += 1) keepProgress(many, `tag:${n}`, atEnd);
  keepProgress(many, "tag:0", atEnd);
  keepProgress(many, "tag:64", atEnd);
  expect(many.progress.size).toBe(64);
  expect(progressOf(many, "tag:0")).toEqual(atEnd);
  expect(progressOf(many, "tag:1")).toEqual(atStart);
});
