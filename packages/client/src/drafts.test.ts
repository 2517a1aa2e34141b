import { expect, test } from "vitest";
import { createDrafts } from "./drafts.ts";

const about = { conversation: "c", speakerUri: "tag:a.example,2025:a", dialogEventId: "de:1" };

function texts(drafts: ReturnType<typeof createDrafts>) {
  return drafts.all().map(({ text }) => text);
}

test("pieces are joined as they arrive, and the list changes only then", () => {
  const drafts = createDrafts();
  drafts.take({ ...about, delta: "once ", offset: 0 });
  drafts.take({ ...about, delta: "upon" });
  expect(texts(drafts)).toEqual(["once upon"]);
  expect(drafts.all()).toBe(drafts.all());
});

test("a draft whose beginning is missing is marked, and a repeated piece counts once", () => {
  const drafts = createDrafts();
  drafts.take({ ...about, delta: "middle", offset: 10 });
  drafts.take({ ...about, delta: " end", offset: 16 });
  expect(drafts.all()).toMatchObject([{ text: "middle end", isPartial: true }]);
  drafts.take({ ...about, dialogEventId: "de:2", delta: "once ", offset: 0 });
  drafts.take({ ...about, dialogEventId: "de:2", delta: "ce upon", offset: 2 });
  expect(drafts.all()[1]).toEqual(expect.not.objectContaining({ isPartial: true }));
  expect(texts(drafts)[1]).toBe("once upon");
});

test("a dropped draft is removed", () => {
  const drafts = createDrafts();
  drafts.take({ ...about, delta: "once " });
  drafts.take({ ...about, end: "dropped" });
  expect(texts(drafts)).toEqual([]);
});

test("a draft stays until its utterance is in the log, and late pieces do not bring it back", () => {
  const drafts = createDrafts();
  drafts.take({ ...about, delta: "once" });
  drafts.take({ ...about, end: "final" });
  drafts.finish("tag:evil.example,2025:e", about.dialogEventId);
  expect(texts(drafts)).toEqual(["once"]);
  drafts.finish(about.speakerUri, about.dialogEventId);
  drafts.take({ ...about, delta: " upon" });
  expect(texts(drafts)).toEqual([]);
});

test("a private draft stays a whisper to its end, and steps stay with it", () => {
  const drafts = createDrafts();
  const step = { id: "1", title: "Searching", state: "running" } as const;
  drafts.take({ ...about, to: { speakerUri: "tag:b.example,2025:b", private: true }, step });
  drafts.take({ ...about, delta: "hey", step: { ...step, state: "done" } });
  expect(drafts.all()).toMatchObject([
    { isWhisper: true, to: "tag:b.example,2025:b", text: "hey", steps: [{ id: "1", state: "done" }] },
  ]);
});
