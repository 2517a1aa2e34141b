import type { Line, UtteranceLine } from "@plenary/transcript";
import { beforeEach, describe, expect, test } from "vitest";
import { createReadAloud, type ReadAloud } from "./read-aloud.ts";

const me = "tag:me.example,2025:1";

function line(seq: number, text: string, fields: Partial<UtteranceLine> = {}): UtteranceLine {
  const at = "2025-01-31T10:05:00Z";
  const features = { text: { mimeType: "text/plain", lang: "en-GB", tokens: [{ value: text }] } };
  const dialogEvent = { id: String(seq), speakerUri: "tag:ann", span: { startTime: at }, features };
  return { kind: "utterance", seq, at, sender: "tag:ann", dialogEvent, isWhisper: false, ...fields };
}

const note: Line = { kind: "note", seq: 5, at: "2025-01-31T10:05:00Z", sign: "door", tone: "quiet", words: ["came"] };

describe("reading aloud", () => {
  let said: string[];
  let reader: ReadAloud;
  beforeEach(() => {
    said = [];
    const speak = (segments: readonly { text: string }[]) => said.push(segments.map(({ text }) => text).join(" "));
    reader = createReadAloud({ speak: (segments) => void speak(segments) }, me);
  });

  test("past lines are not read", () => {
    reader.read([line(1, "old"), line(2, "older")]);
    reader.read([line(1, "old"), line(2, "older"), line(3, "new")]);
    expect(said).toEqual(["new"]);
  });

  test("each is read once and in order", () => {
    reader.read([]);
    reader.read([line(1, "a")]);
    reader.read([line(1, "a"), line(2, "b"), line(3, "c")]);
    reader.read([line(1, "a"), line(2, "b"), line(3, "c")]);
    expect(said).toEqual(["a", "b", "c"]);
  });

  test("older lines that are loaded later stay unread", () => {
    reader.read([line(10, "ten")]);
    reader.read([line(1, "one"), line(10, "ten"), note]);
    reader.read([line(1, "one"), line(10, "ten"), line(11, "eleven")]);
    expect(said).toEqual(["eleven"]);
  });

  test("own utterances, whispers and notes are not read", () => {
    reader.read([]);
    reader.read([line(1, "mine", { sender: me }), line(2, "psst", { isWhisper: true }), { ...note, seq: 3 }]);
    expect(said).toEqual([]);
  });

  test("the name is spoken when the speaker changes", () => {
    const names = (speakerUri: string) => (speakerUri === "tag:ann" ? "Ann" : "Bob");
    reader.read([], names);
    reader.read([line(1, "**a**"), line(2, "b"), line(3, "c", { sender: "tag:bob" })], names);
    expect(said).toEqual(["Ann: a", "b", "Bob: c"]);
  });

  test("a relayed utterance is read with the name and voice of its sender", () => {
    const names = (speakerUri: string) => (speakerUri === "tag:ann" ? "Ann" : "Bob");
    const voices: string[] = [];
    const speaking = createReadAloud({ speak: (_, { speakerUri }) => void voices.push(speakerUri) }, me);
    const lines = [line(1, "a", { relayedFrom: "tag:bob" }), line(2, "b", { relayedFrom: me })];
    for (const one of [reader, speaking]) {
      one.read([], names);
      one.read(lines, names);
    }
    expect(said).toEqual(["Ann, relaying Bob: a", "Ann, relaying Bob: b"]);
    expect(voices).toEqual(["tag:ann", "tag:ann"]);
  });

  test("SSML replaces the text and is read once", () => {
    reader.read([]);
    const spoken = line(1, "W3C");
    const ssml = {
      mimeType: "application/ssml+xml",
      tokens: [{ value: '<speak><sub alias="the Consortium">W3C</sub></speak>' }],
    };
    spoken.dialogEvent = { ...spoken.dialogEvent, features: { ...spoken.dialogEvent.features, ssml } };
    reader.read([spoken]);
    expect(said).toEqual(["the Consortium"]);
  });
});
