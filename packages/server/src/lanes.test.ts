import { expect, test } from "vitest";
import { createLanes } from "./lanes.ts";
import { settle } from "./testing/fake-clock.ts";

function gated() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (job: { id: string }) =>
    new Promise<void>((resolve) => {
      begun.push(job.id);
      ends.set(job.id, resolve);
    });
  return { begun, run, end: (id: string) => ends.get(id)?.() };
}

test("one job at a time for each key, in order; keys do not wait for each other", async () => {
  const { begun, run, end } = gated();
  const lanes = createLanes(run, { queueMax: 10 });
  for (const [id, key] of [
    ["a1", "a"],
    ["a2", "a"],
    ["b1", "b"],
  ] as const) {
    expect(lanes.add({ id, key })).toBe(true);
  }
  await settle();
  expect(begun).toEqual(["a1", "b1"]);
  expect([lanes.find("a1")?.id, lanes.find("a2")?.id]).toEqual(["a1", "a2"]);
  end("a1");
  await settle();
  expect(begun).toEqual(["a1", "b1", "a2"]);
  expect(lanes.find("a1")).toBeUndefined();
});

test("a queue that is full takes no more", () => {
  const lanes = createLanes(gated().run, { queueMax: 1 });
  expect([1, 2, 3].map((count) => lanes.add({ id: `j${count}`, key: "k" }))).toEqual([true, true, false]);
});

test("closing begins nothing new and tells what still runs", async () => {
  const { begun, run, end } = gated();
  const lanes = createLanes(run, { queueMax: 10 });
  lanes.add({ id: "a1", key: "a" });
  lanes.add({ id: "a2", key: "a" });
  expect(lanes.close().map(({ id }) => id)).toEqual(["a1"]);
  end("a1");
  await lanes.ended();
  await settle();
  expect(begun).toEqual(["a1"]);
});
