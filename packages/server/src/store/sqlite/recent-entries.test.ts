import type { Entry } from "@plenary/floor";
import { expect, test } from "vitest";
import { createRecentEntries } from "./recent-entries.ts";

const entry = (seq: number): Entry => ({
  kind: "resumed",
  seq,
  at: "2026-01-01T00:00:00.000Z",
  turn: "t1",
  because: "loop/person-spoke",
  audience: [],
});

test("for any range, the cached entries equal the log, without gaps and to the end", () => {
  const recent = createRecentEntries();
  const head = { a: 0, b: 0 };
  for (let round = 0; round < 4_000; round += 1) {
    for (const id of ["a", "b"] as const) {
      if (id === "b" && round % 7 !== 0) continue;
      recent.stage(id, [entry(head[id] + 1), entry(head[id] + 2)]);
      head[id] += 2;
    }
    recent.settle();
    const id = round % 3 === 0 ? "b" : "a";
    const after = Math.max(0, head[id] - (round % 2_500));
    const limit = 1 + (round % 64);
    const found = recent.after(id, { after, limit });
    if (found === undefined) continue;
    const expected = Array.from({ length: Math.min(limit, head[id] - after) }, (_, index) => after + 1 + index);
    expect(found.map(({ seq }) => seq)).toEqual(expected);
  }
});

test("the cache is limited", () => {
  const recent = createRecentEntries();
  for (let seq = 1; seq <= 100_000; seq += 1) {
    recent.stage("a", [entry(seq)]);
    recent.settle();
  }
  expect(recent.after("a", { after: 99_000, limit: 10_000 })).toHaveLength(1_000);
  expect(recent.after("a", { after: 95_000, limit: 10_000 })).toBeUndefined();
});

test("entries that are not durable are not returned", () => {
  const recent = createRecentEntries();
  recent.stage("a", [entry(1)]);
  recent.settle();
  recent.stage("a", [entry(2)]);
  expect(recent.after("a", { after: 0, limit: 10 })).toHaveLength(1);
  recent.forget("a");
  recent.settle();
  expect(recent.after("a", { after: 0, limit: 10 })).toBeUndefined();
});
