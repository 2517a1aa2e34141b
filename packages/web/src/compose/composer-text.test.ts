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

test("a public utterance addresses its first mention, unless mentions are switched off", () => {
  expect(addresseeOf(saying("@Ben ask @Echo"), people)).toBe("tag:ben");
  expect(addresseeOf({ ...saying("@Ben ask @Echo"), isToAll: true }, people)).toBeUndefined();
  expect(addresseeOf(saying("hello"), people)).toBeUndefined();
});

test("of two with the same name, the one chosen from the list is addressed", () => {
  const twin = { speakerUri: "tag:twin", name: "Echo" };
  expect(addresseeOf({ ...saying("@Echo"), picked: ["tag:twin"] }, [...people, twin])).toBe("tag:twin");
});

test("a whisper keeps its recipient whatever it mentions, and has none after the recipient left", () => {
  expect(addresseeOf(whispering("do not tell @Ben"), people)).toBe("tag:echo");
  expect(addresseeOf(whispering("do not tell @Ben"), [ben])).toBeUndefined();
  expect(addresseeOf(asWhisper(saying("@Ben"), undefined), people)).toBeUndefined();
});

test("after a whisper the field stays in whisper mode; after a public utterance it is empty", () => {
  expect(afterSending(whispering("psst"))).toEqual(whispering(""));
  expect(afterSending({ ...saying("@Echo hi"), picked: ["tag:echo"] })).toEqual(emptyComposerText);
});

test("unsent text is restored into an empty field", () => {
  expect(restored(emptyComposerText, whispering("psst"))).toEqual(whispering("psst"));
  expect(restored(saying(" "), saying("hello"))).toEqual(saying("hello"));
});

test("unsent text is restored before newer text", () => {
  expect(restored(saying("and more"), saying("hello"))).toEqual(saying("hello\nand more"));
  expect(restored(whispering("and more"), whispering("psst"))).toEqual(whispering("psst\nand more"));
});

test("a restored whisper stays a whisper, even with public text", () => {
  expect(restored(saying("public"), whispering("psst"))).toEqual(whispering("psst\npublic"));
  expect(restored(whispering("psst"), saying("public"))).toEqual(whispering("public\npsst"));
});

test("two whispers to two recipients have no recipient until one is chosen", () => {
  for (const written of ["for ben", ""]) {
    const back = restored(whispering(written, "tag:ben"), whispering("for echo"));
    expect(back).toMatchObject({ isWhisper: true, text: ["for echo", written].filter(Boolean).join("\n") });
    expect(addresseeOf(back, people)).toBeUndefined();
  }
});

test("restored public text does not change a whisper that was started meanwhile", () => {
  expect(restored(whispering(""), saying("public"))).toEqual(whispering("public"));
});

test("leaving whisper mode forgets the recipient", () => {
  expect(asPublic(whispering(" "))).toEqual(saying(" "));
});

test("the content survives JSON, and anything else reads as empty", () => {
  const draft = { ...whispering("psst"), picked: ["tag:echo"] };
  expect(parseComposerText(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
  for (const kept of [null, 1, "text", [], { text: 1 }]) expect(parseComposerText(kept)).toEqual(emptyComposerText);
  expect(parseComposerText({ text: "hi", isWhisper: "yes", whisperTo: 1, picked: "x" })).toEqual(saying("hi"));
});

test("an unfinished whisper is hidden when the field turns public, and restored only for the same recipient", () => {
  const left = asPublic(whispering("my PIN is"));
  expect(left).toMatchObject({ text: "", isWhisper: false });
  expect(asWhisper(left, undefined)).toEqual(whispering("my PIN is"));
  expect(asWhisper(left, "tag:echo")).toEqual(whispering("my PIN is"));
  expect(asWhisper(left, "tag:ben")).toMatchObject({ text: "", whisperTo: "tag:ben" });
  expect(asWhisper({ ...left, text: "something else" }, undefined)).toMatchObject({ text: "something else" });
});
