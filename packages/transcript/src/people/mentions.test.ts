import { expect, test } from "vitest";
import { mentionIn, namedAt, peopleMatching, typedMention } from "./mentions.ts";

const echo = { speakerUri: "tag:echo", name: "Echo" };
const echoBot = { speakerUri: "tag:echo-bot", name: "Echo Bot" };
const zoe = { speakerUri: "tag:zoe", name: "Zoë" };
const people = [echo, echoBot, zoe];

test("a name after an @ addresses its conversant, in any letter case", () => {
  expect(mentionIn("good morning @eCHO, are you there?", people)).toEqual({
    speakerUri: "tag:echo",
    start: 13,
    end: 18,
  });
});

test("of two names that match, the longer one is addressed", () => {
  expect(mentionIn("@echo bot hello", people)?.speakerUri).toBe("tag:echo-bot");
  expect(mentionIn("@echo both of you", people)?.speakerUri).toBe("tag:echo");
});

test("the first mention is the addressee, and later ones stay text", () => {
  expect(mentionIn("@Zoë ask @Echo", people)).toEqual({ speakerUri: "tag:zoe", start: 0, end: 4 });
});

test("a longer word, an e-mail address and an unknown name are no mentions", () => {
  for (const text of ["@Echoes", "@Zoëlle", "me@echo", "@Nobody", "@", "Echo"])
    expect(mentionIn(text, people)).toBeUndefined();
});

test("an unknown name after an @ does not hide a later mention", () => {
  expect(mentionIn("@Nobody and @Echo", people)?.speakerUri).toBe("tag:echo");
});

test("a mention may follow a bracket and end in punctuation or at the end of the text", () => {
  expect(mentionIn("(@Echo)", people)?.speakerUri).toBe("tag:echo");
  expect(mentionIn("hello @Zoë", people)?.speakerUri).toBe("tag:zoe");
});

test("of two conversants with the same name, the first in the list is addressed", () => {
  const twin = { speakerUri: "tag:twin", name: "Echo" };
  expect(mentionIn("@Echo", [twin, echo])?.speakerUri).toBe("tag:twin");
  expect(mentionIn("@Echo", [echo, twin])?.speakerUri).toBe("tag:echo");
});

test("a name is found at a position only as a whole word", () => {
  expect(namedAt("/whisper Echo Bot psst", 9, people)).toEqual({ speakerUri: "tag:echo-bot", end: 17 });
  expect(namedAt("/whisper Echoes", 9, people)).toBeUndefined();
  expect(namedAt("/whisper ", 9, people)).toBeUndefined();
});

test("typedMention returns the text between the @ and the caret", () => {
  expect(typedMention("hi @ec", 6)).toEqual({ start: 3, query: "ec" });
  expect(typedMention("hi @", 4)).toEqual({ start: 3, query: "" });
  expect(typedMention("hi @echo b", 10)).toEqual({ start: 3, query: "echo b" });
  expect(typedMention("hi @ec and more", 6)).toEqual({ start: 3, query: "ec" });
});

test("typedMention returns nothing before the @, after a blank, on another line or in an e-mail address", () => {
  expect(typedMention("hi @ec", 3)).toBeUndefined();
  expect(typedMention("hi @ there", 10)).toBeUndefined();
  expect(typedMention("hi @ec\nho", 9)).toBeUndefined();
  expect(typedMention("me@ec", 5)).toBeUndefined();
  expect(typedMention(`@${"e".repeat(99)}`, 100)).toBeUndefined();
});

test("names that begin with the query come before names in which a later word does", () => {
  const bo = { speakerUri: "tag:bo", name: "Bo" };
  expect(peopleMatching([...people, bo], "bo")).toEqual([bo, echoBot]);
  expect(peopleMatching(people, "")).toEqual(people);
  expect(peopleMatching(people, "x")).toEqual([]);
});
