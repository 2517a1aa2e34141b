import { expect, test } from "vitest";
import { addresseeOf, type Draft, emptyDraft, inPublic, inWhisper, readDraft, sentOff, takenBack } from "./draft.ts";

const echo = { speakerUri: "tag:echo", name: "Echo" };
const ben = { speakerUri: "tag:ben", name: "Ben" };
const people = [echo, ben];

const saying = (text: string): Draft => ({ ...emptyDraft, text });
const whispering = (text: string, whisperTo = "tag:echo"): Draft => ({ ...saying(text), isWhisper: true, whisperTo });

test("a public utterance is for whom it names first, unless its words are to be only words", () => {
  expect(addresseeOf(saying("@Ben ask @Echo"), people)).toBe("tag:ben");
  expect(addresseeOf({ ...saying("@Ben ask @Echo"), isToAll: true }, people)).toBeUndefined();
  expect(addresseeOf(saying("hello"), people)).toBeUndefined();
});

test("of two with one name, the one chosen from the list is meant", () => {
  const twin = { speakerUri: "tag:twin", name: "Echo" };
  expect(addresseeOf({ ...saying("@Echo"), picked: ["tag:twin"] }, [...people, twin])).toBe("tag:twin");
});

test("a whisper is for its addressee whatever names it holds, and for nobody once the addressee has left", () => {
  expect(addresseeOf(whispering("do not tell @Ben"), people)).toBe("tag:echo");
  expect(addresseeOf(whispering("do not tell @Ben"), [ben])).toBeUndefined();
  expect(addresseeOf(inWhisper(saying("@Ben"), undefined), people)).toBeUndefined();
});

test("after a whisper the next words are a whisper to the same one; after public words nothing is left", () => {
  expect(sentOff(whispering("psst"))).toEqual(whispering(""));
  expect(sentOff({ ...saying("@Echo hi"), picked: ["tag:echo"] })).toEqual(emptyDraft);
});

test("what could not be sent comes back as it was into an empty field", () => {
  expect(takenBack(emptyDraft, whispering("psst"))).toEqual(whispering("psst"));
  expect(takenBack(saying(" "), saying("hello"))).toEqual(saying("hello"));
});

test("what could not be sent comes back before what was written since", () => {
  expect(takenBack(saying("and more"), saying("hello"))).toEqual(saying("hello\nand more"));
  expect(takenBack(whispering("and more"), whispering("psst"))).toEqual(whispering("psst\nand more"));
});

test("a whisper that comes back stays a whisper, even among public words", () => {
  expect(takenBack(saying("public"), whispering("psst"))).toEqual(whispering("psst\npublic"));
  expect(takenBack(whispering("psst"), saying("public"))).toEqual(whispering("public\npsst"));
});

test("two whispers to two people are for nobody until somebody is chosen", () => {
  for (const written of ["for ben", ""]) {
    const back = takenBack(whispering(written, "tag:ben"), whispering("for echo"));
    expect(back).toMatchObject({ isWhisper: true, text: ["for echo", written].filter(Boolean).join("\n") });
    expect(addresseeOf(back, people)).toBeUndefined();
  }
});

test("public words that come back leave the whisper that was begun meanwhile as it is", () => {
  expect(takenBack(whispering(""), saying("public"))).toEqual(whispering("public"));
});

test("leaving the whisper forgets whom it was for", () => {
  expect(inPublic(whispering(" "))).toEqual(saying(" "));
});

test("a draft survives being kept as JSON, and anything else is no draft", () => {
  const draft = { ...whispering("psst"), picked: ["tag:echo"] };
  expect(readDraft(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
  for (const kept of [null, 1, "text", [], { text: 1 }]) expect(readDraft(kept)).toEqual(emptyDraft);
  expect(readDraft({ text: "hi", isWhisper: "yes", whisperTo: 1, picked: "x" })).toEqual(saying("hi"));
});

test("a whisper that is left half written is put aside, not made public, and comes back for the same one only", () => {
  const left = inPublic(whispering("my PIN is"));
  expect(left).toMatchObject({ text: "", isWhisper: false });
  expect(inWhisper(left, undefined)).toEqual(whispering("my PIN is"));
  expect(inWhisper(left, "tag:echo")).toEqual(whispering("my PIN is"));
  expect(inWhisper(left, "tag:ben")).toMatchObject({ text: "", whisperTo: "tag:ben" });
  expect(inWhisper({ ...left, text: "something else" }, undefined)).toMatchObject({ text: "something else" });
});
