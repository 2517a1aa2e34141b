import { expect, test } from "vitest";
import {
  addresseeOf,
  afterSending,
  asPublic,
  asWhisper,
  type ComposerText,
  emptyComposerText,
  parseComposerText,
  restored,
} from "./composer-text.ts";

const echo = { speakerUri: "tag:echo", name: "Echo" };
const ben = { speakerUri: "tag:ben", name: "Ben" };
const people = [echo, ben];

const saying = (text: string): ComposerText => ({ ...emptyComposerText, text });
const whispering = (text: string, whisperTo = "tag:echo"): ComposerText => ({
  ...saying(text),
  isWhisper: true,
  whisperTo,
});

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
  expect(addresseeOf(asWhisper(saying("@Ben"), undefined), people)).toBeUndefined();
});

test("after a whisper the next words are a whisper to the same one; after public words nothing is left", () => {
  expect(afterSending(whispering("psst"))).toEqual(whispering(""));
  expect(afterSending({ ...saying("@Echo hi"), picked: ["tag:echo"] })).toEqual(emptyComposerText);
});

test("what could not be sent comes back as it was into an empty field", () => {
  expect(restored(emptyComposerText, whispering("psst"))).toEqual(whispering("psst"));
  expect(restored(saying(" "), saying("hello"))).toEqual(saying("hello"));
});

test("what could not be sent comes back before what was written since", () => {
  expect(restored(saying("and more"), saying("hello"))).toEqual(saying("hello\nand more"));
  expect(restored(whispering("and more"), whispering("psst"))).toEqual(whispering("psst\nand more"));
});

test("a whisper that comes back stays a whisper, even among public words", () => {
  expect(restored(saying("public"), whispering("psst"))).toEqual(whispering("psst\npublic"));
  expect(restored(whispering("psst"), saying("public"))).toEqual(whispering("public\npsst"));
});

test("two whispers to two people are for nobody until somebody is chosen", () => {
  for (const written of ["for ben", ""]) {
    const back = restored(whispering(written, "tag:ben"), whispering("for echo"));
    expect(back).toMatchObject({ isWhisper: true, text: ["for echo", written].filter(Boolean).join("\n") });
    expect(addresseeOf(back, people)).toBeUndefined();
  }
});

test("public words that come back leave the whisper that was begun meanwhile as it is", () => {
  expect(restored(whispering(""), saying("public"))).toEqual(whispering("public"));
});

test("leaving the whisper forgets whom it was for", () => {
  expect(asPublic(whispering(" "))).toEqual(saying(" "));
});

test("a draft survives being kept as JSON, and anything else is no draft", () => {
  const draft = { ...whispering("psst"), picked: ["tag:echo"] };
  expect(parseComposerText(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
  for (const kept of [null, 1, "text", [], { text: 1 }]) expect(parseComposerText(kept)).toEqual(emptyComposerText);
  expect(parseComposerText({ text: "hi", isWhisper: "yes", whisperTo: 1, picked: "x" })).toEqual(saying("hi"));
});

test("a whisper that is left half written is put aside, not made public, and comes back for the same one only", () => {
  const left = asPublic(whispering("my PIN is"));
  expect(left).toMatchObject({ text: "", isWhisper: false });
  expect(asWhisper(left, undefined)).toEqual(whispering("my PIN is"));
  expect(asWhisper(left, "tag:echo")).toEqual(whispering("my PIN is"));
  expect(asWhisper(left, "tag:ben")).toMatchObject({ text: "", whisperTo: "tag:ben" });
  expect(asWhisper({ ...left, text: "something else" }, undefined)).toMatchObject({ text: "something else" });
});
