import type { Conversation } from "@plenary/protocol";
import { speakerKind } from "@plenary/sdk";
import { expect, test } from "vitest";
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
} from "./guide.ts";
import { atEnd, atStart } from "./lesson.ts";

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
])("a speaker who %s is classified as person or agent", (_who, room, isOne) => {
  expect(isLearner(ann, room, taught("tag:floor.example,2026:floor"))).toBe(isOne);
});

test("the sender of the invite is a learner even if it is an agent", () => {
  expect(isLearner(ann, among({}), taught(ann))).toBe(true);
});

const clock = { speakerUri: "tag:clock", serviceUrl: "http://127.0.0.1:7536/agents/clock" };

test("other agents are named by name or address, and only while they have the floor", () => {
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

test("an agent with an unsafe name is left out", () => {
  for (const conversationalName of ["`rm -rf`", "**Bold**", "a".repeat(41), "[x](http://x)"]) {
    expect(agentsHere(among({ ...clock, conversationalName }))).toEqual([]);
  }
});

test("people are listed by name, except unsafe names and agents", () => {
  expect(peopleHere(among({ ...user, conversationalName: "Ann" }))).toEqual(["Ann"]);
  expect(peopleHere(among({ ...clock, conversationalName: "Clock", synopsis: "Tells the time." }))).toEqual([]);
  for (const conversationalName of ["", "**Ann**", "Ann\n- Bob", "[x](http://x)", "\u001b[2J"]) {
    expect(peopleHere(among({ ...user, conversationalName }))).toEqual([]);
  }
});

test("agents with an example question come first", () => {
  const both = among({ ...clock, speakerUri: "tag:zoe", conversationalName: "Zoe" });
  const conversants = [both, among(clock)].flatMap(({ conversation }) => conversation.conversants ?? []);
  expect(agentsHere(roomOf({ id: "c1", conversants }))).toEqual(["Clock", "Zoe"]);
});

test("a text about the subject of an agent's synopsis is for that agent", () => {
  const here = among({ ...clock, synopsis: "Tells the time, anywhere." });
  expect(isForAnother("what time is it?", here)).toBe(true);
  expect(isForAnother("good morning", here)).toBe(false);
  expect(isForAnother("what time is it?", among({ ...clock, conversationalName: "Guide", synopsis: "time" }))).toBe(
    false,
  );
});

test("a lesson starts for every person after an invite, and never without one", () => {
  expect(progressOf(taught(ann), "tag:new")).toEqual(atStart);
  expect(progressOf(newLessonState(), "tag:new")).toEqual(atEnd);
});

test("the state keeps the people who spoke last", () => {
  const many = taught(ann);
  for (let n = 0; n < 64; n += 1) keepProgress(many, `tag:${n}`, atEnd);
  keepProgress(many, "tag:0", atEnd);
  keepProgress(many, "tag:64", atEnd);
  expect(many.progress.size).toBe(64);
  expect(progressOf(many, "tag:0")).toEqual(atEnd);
  expect(progressOf(many, "tag:1")).toEqual(atStart);
});
