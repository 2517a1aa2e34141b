import { expect, test } from "vitest";
import { createWriteBehind } from "./write-behind.ts";

function fixture({ batchMax = 10 } = {}) {
  const records = new Map<string, string>();
  const batches: unknown[] = [];
  const errors: unknown[] = [];
  const timers: (() => void)[] = [];
  let problem: Error | undefined;
  const writeBehind = createWriteBehind({
    textAt: (key) => records.get(key),
    write: async (change) => {
      if (problem !== undefined) throw problem;
      batches.push(change);
    },
    batchMax,
    schedule: (callback) => {
      timers.push(callback);
      return () => void timers.splice(timers.indexOf(callback), 1);
    },
    onError: (error) => errors.push(error),
  });
  return {
    records,
    batches,
    errors,
    timers,
    writeBehind,
    fail: (error: Error | undefined) => {
      problem = error;
    },
    async ring() {
      timers.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

test("changes are written once, in batches, with the removed keys", async () => {
  const { records, batches, timers, writeBehind, ring } = fixture({ batchMax: 2 });
  records.set("a", "1").set("b", "2");
  for (const key of ["a", "b", "gone", "a"]) writeBehind.note(key);
  expect(timers).toHaveLength(1);
  await ring();
  await ring();
  expect(timers).toHaveLength(0);
  const kept = [
    { key: "a", known: "1" },
    { key: "b", known: "2" },
  ];
  expect(batches).toEqual([
    { kept, forgotten: [] },
    { kept: [], forgotten: ["gone"] },
  ]);
});

test("a batch that fails is reported and written again", async () => {
  const { batches, errors, writeBehind, ring, fail } = fixture();
  const full = new Error("full");
  fail(full);
  writeBehind.note("a");
  await ring();
  expect(errors).toEqual([full]);
  fail(undefined);
  await ring();
  expect(batches).toEqual([{ kept: [], forgotten: ["a"] }]);
});

test("close writes the rest without the timer, and stops at an error", async () => {
  const one = fixture({ batchMax: 1 });
  for (const key of ["a", "b"]) one.writeBehind.note(key);
  await one.writeBehind.close();
  expect([one.batches.length, one.timers.length]).toEqual([2, 0]);
  const other = fixture();
  other.fail(new Error("full"));
  other.writeBehind.note("a");
  await other.writeBehind.close();
  expect([other.errors.length, other.timers.length]).toEqual([1, 0]);
});
