import type { LiveDraft } from "@plenary/client";
import type { Identification } from "@plenary/protocol";
import type { Line } from "@plenary/transcript";
import { describe, expect, test } from "vitest";
import type { ConversationState } from "../state/types.ts";
import { captionOf } from "./caption-bar.tsx";

const at = "2026-01-01T10:00:00Z";
const identifications = new Map(
  ["Ada", "Bob"].map((conversationalName) => {
    const speakerUri = `tag:${conversationalName.toLowerCase()}`;
    return [speakerUri, { speakerUri, conversationalName } as Identification];
  }),
);

function shown(lines: readonly Line[], drafts: readonly LiveDraft[] = []) {
  return captionOf({ me: "tag:me", identifications, lines, drafts } as unknown as ConversationState);
}

function said(text: string, change: Partial<Extract<Line, { kind: "utterance" }>> = {}): Line {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id: text, speakerUri: "tag:ada", span: { startTime: at }, features };
  return { kind: "utterance", seq: 1, at, sender: "tag:ada", dialogEvent, isWhisper: false, ...change };
}

const draft: LiveDraft = { dialogEventId: "d", speakerUri: "tag:bob", text: "growing", isWhisper: false };

describe("the caption", () => {
  test("shows the newest utterance of another conversant", () => {
    expect(shown([said("one"), said("mine", { sender: "tag:me" })])).toMatchObject({ name: "Ada", text: "one" });
    expect(shown([said("one")], [draft])).toMatchObject({ name: "Bob", text: "growing" });
  });

  test("shows no whisper, finished or drafted", () => {
    expect(shown([said("one"), said("psst", { isWhisper: true })])?.text).toBe("one");
    expect(shown([said("one")], [{ ...draft, isWhisper: true }])?.text).toBe("one");
    expect(shown([said("psst", { isWhisper: true })])).toBeUndefined();
  });

  test("names the sender and the relayed speaker", () => {
    const caption = shown([said("one", { relayedFrom: "tag:bob" })]);
    expect(caption).toMatchObject({ speakerUri: "tag:ada", name: "Ada, relaying Bob" });
    expect(shown([said("one", { relayedFrom: "tag:me" })])?.name).toBe("Ada, relaying you");
  });

  test("shows the end of a long draft", () => {
    expect(shown([], [{ ...draft, text: `${"long ".repeat(5_000)}end` }])?.text).toMatch(/end$/u);
  });
});
