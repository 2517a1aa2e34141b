import { expect, test } from "vitest";
import { createDrafts } from "./drafts.ts";

const about = { conversation: "c", speakerUri: "tag:a.example,2025:a", dialogEventId: "de:1" };

function texts(drafts: ReturnType<typeof createDrafts>) {
  return drafts.all().map(({ text }) => text);
}

test("pieces are joined as they arrive", () => {
  const drafts = createDrafts();
  drafts.take({ ...about, delta: "once " });
  drafts.take({ ...about, delta: "upon" });
  expect(texts(drafts)).toEqual(["once upon"]);
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
  expect(texts(drafts)).toEqual(["once"]);
  drafts.finish(about.speakerUri, about.dialogEventId);
  drafts.take({ ...about, delta: " upon" });
  expect(texts(drafts)).toEqual([]);
});

test("an utterance of another sender with the same id does not end a draft", () => {
  const drafts = createDrafts();
  drafts.take({ ...about, delta: "once" });
  drafts.finish("tag:evil.example,2025:e", about.dialogEventId);
  expect(texts(drafts)).toEqual(["once"]);
});

test("a private draft stays a whisper to its end", () => {
  const drafts = createDrafts();
  drafts.take({ ...about, to: { speakerUri: "tag:b.example,2025:b", private: true }, delta: "psst" });
  drafts.take({ ...about, delta: " hey" });
  expect(drafts.all()).toMatchObject([{ isWhisper: true, text: "psst hey" }]);
});

test("steps stay with the draft, and the same id replaces a step", () => {
  const drafts = createDrafts();
  const searching = { id: "1", title: "Searching", state: "running" } as const;
  for (const id of ["1", "2"]) drafts.take({ ...about, step: { ...searching, id } });
  expect(drafts.all()).toMatchObject([{ text: "", steps: [{ id: "1" }, { id: "2" }] }]);
  drafts.take({ ...about, delta: "once", step: { ...searching, state: "done" } });
  drafts.take({ ...about, delta: " upon" });
  expect(drafts.all()).toMatchObject([
    {
      text: "once upon",
      steps: [
        { id: "1", state: "done" },
        { id: "2", state: "running" },
      ],
    },
  ]);
});
