import type { Unsent } from "@plenary/client";
import type { UtteranceLine } from "@plenary/transcript";
import { expect, test } from "vitest";
import { transcriptItems } from "./transcript-items.ts";

function line(seq: number, more: Partial<UtteranceLine> = {}): UtteranceLine {
  const at = new Date(2025, 0, 31, 10, 0, seq).toISOString();
  const dialogEvent = { id: `de:${seq}`, speakerUri: "tag:a.example,2025:a", span: { startTime: at }, features: {} };
  return {
    kind: "utterance",
    seq,
    at,
    sender: "tag:a.example,2025:a",
    dialogEvent,
    isWhisper: false,
    ...more,
  } as UtteranceLine;
}

const unsent: Unsent = { id: "de:2", text: "hi", at: "", state: "sending" };
const me = "tag:a.example,2025:a";
const bare = { me, drafts: [], unsent: [] };

test("consecutive utterances of one speaker share a header", () => {
  const items = transcriptItems({ lines: [line(1), line(2)], ...bare });
  expect(items.map((item) => item.kind === "utterance" && item.isContinued)).toEqual([false, false, true]);
});

test.each([
  ["another sender", { sender: "tag:b.example,2025:b" }],
  ["a whisper", { isWhisper: true, to: "tag:b.example,2025:b" }],
  ["the same one much later", { at: new Date(2025, 0, 31, 10, 9).toISOString() }],
])("%s gets a header", (_, more) => {
  const items = transcriptItems({ lines: [line(1), line(2, more)], ...bare });
  expect(items.at(-1)).toMatchObject({ isContinued: false });
});

test("an utterance in the log is not shown as a draft or as unsent too", () => {
  const draft = { dialogEventId: "de:1", speakerUri: "tag:a.example,2025:a", text: "h", isWhisper: false };
  const items = transcriptItems({ me, lines: [line(1), line(2)], drafts: [draft], unsent: [unsent] });
  expect(items.map(({ kind }) => kind)).toEqual(["day", "utterance", "utterance"]);
});

test("the first day has a heading only when nothing older exists", () => {
  const kindsOf = (hasOlder: boolean) =>
    transcriptItems({ lines: [line(1)], ...bare, hasOlder }).map(({ kind }) => kind);
  expect(kindsOf(true)).toEqual(["utterance"]);
  expect(kindsOf(false)).toEqual(["day", "utterance"]);
});

test("an utterance of another sender with the same id does not hide mine", () => {
  const evil = line(2, { sender: "tag:evil.example,2025:e" });
  const items = transcriptItems({ me, lines: [evil], drafts: [], unsent: [unsent] });
  expect(items.map(({ kind }) => kind)).toEqual(["day", "utterance", "unsent"]);
});

test("unsent utterances stand at the end", () => {
  const items = transcriptItems({ me, lines: [line(1)], drafts: [], unsent: [unsent] });
  expect(items.at(-1)).toMatchObject({ kind: "unsent", unsent });
});

test("a new day has a heading, and keys are unique although ids repeat", () => {
  const dialogEvent = line(1).dialogEvent;
  const tomorrow = line(2, { at: new Date(2025, 1, 1, 10).toISOString(), dialogEvent });
  const items = transcriptItems({ lines: [line(1), tomorrow], ...bare });
  expect(items.map(({ kind }) => kind)).toEqual(["day", "utterance", "day", "utterance"]);
  expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
});
