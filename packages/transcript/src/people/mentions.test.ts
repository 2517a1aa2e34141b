import { expect, test } from "vitest";
import { mentionIn, namedAt, peopleMatching, typedMention } from "./mentions.ts";

const echo = { speakerUri: "tag:echo", name: "Echo" };
const echoBot = { speakerUri: "tag:echo-bot", name: "Echo Bot" };
const zoe = { speakerUri: "tag:zoe", name: "Zoë" };
const people = [echo, echoBot, zoe];

test("a name after an @ addresses its conversant, whatever its case", () => {
  expect(mentionIn("good morning @eCHO, are you there?", people)).toEqual({
    speakerUri: "tag:echo",
    start: 13,
    end: 18,
  });
});

test("of two names that fit, the longer one is meant", () => {
  expect(mentionIn("@echo bot hello", people)?.speakerUri).toBe("tag:echo-bot");
  expect(mentionIn("@echo both of you", people)?.speakerUri).toBe("tag:echo");
});

test("the first mention wins, and others stay words", () => {
  expect(mentionIn("@Zoë ask @Echo", people)).toEqual({ speakerUri: "tag:zoe", start: 0, end: 4 });
});

test("a longer word, an e-mail address and an unknown name are no mentions", () => {
  for (const text of ["@Echoes", "@Zoëlle", "me@echo", "@Nobody", "@", "Echo"])
    expect(mentionIn(text, people)).toBeUndefined();
});

test("a stranger's name does not hide the mention after it", () => {
  expect(mentionIn("@Nobody and @Echo", people)?.speakerUri).toBe("tag:echo");
});

test("a mention may follow a bracket and end in punctuation or at the end of the text", () => {
  expect(mentionIn("(@Echo)", people)?.speakerUri).toBe("tag:echo");
  expect(mentionIn("hello @Zoë", people)?.speakerUri).toBe("tag:zoe");
});

test("of two with one name, the first in the list is meant", () => {
  const twin = { speakerUri: "tag:twin", name: "Echo" };
  expect(mentionIn("@Echo", [twin, echo])?.speakerUri).toBe("tag:twin");
  expect(mentionIn("@Echo", [echo, twin])?.speakerUri).toBe("tag:echo");
});

test("a name stands at a place of the text only when it stands there whole", () => {
  expect(namedAt("/whisper Echo Bot psst", 9, people)).toEqual({ speakerUri: "tag:echo-bot", end: 17 });
  expect(namedAt("/whisper Echoes", 9, people)).toBeUndefined();
  expect(namedAt("/whisper ", 9, people)).toBeUndefined();
});

test("what is typed after an @ is known up to the caret", () => {
  expect(typedMention("hi @ec", 6)).toEqual({ start: 3, query: "ec" });
  expect(typedMention("hi @", 4)).toEqual({ start: 3, query: "" });
  expect(typedMention("hi @echo b", 10)).toEqual({ start: 3, query: "echo b" });
  expect(typedMention("hi @ec and more", 6)).toEqual({ start: 3, query: "ec" });
});

test("nothing is being typed before the @, after a blank, on another line or in an address of mail", () => {
  expect(typedMention("hi @ec", 3)).toBeUndefined();
  expect(typedMention("hi @ there", 10)).toBeUndefined();
  expect(typedMention("hi @ec\nho", 9)).toBeUndefined();
  expect(typedMention("me@ec", 5)).toBeUndefined();
  expect(typedMention(`@${"e".repeat(99)}`, 100)).toBeUndefined();
});

test("the beginning of a name goes before the beginning of one of its words", () => {
  const bo = { speakerUri: "tag:bo", name: "Bo" };
  expect(peopleMatching([...people, bo], "bo")).toEqual([bo, echoBot]);
  expect(peopleMatching(people, "")).toEqual(people);
  expect(peopleMatching(people, "x")).toEqual([]);
});
