import { expect, test } from "vitest";
import { settle } from "../testing/fake-clock.ts";
import { createLanes } from "./delivery-queue.ts";

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

test("a key that has had nothing to do takes jobs again, and what runs and waits is counted", async () => {
  const { begun, run, end } = gated();
  const lanes = createLanes(run, { queueMax: 10 });
  lanes.add({ id: "a1", key: "a" });
  lanes.add({ id: "a2", key: "a" });
  expect(lanes.count()).toEqual({ running: 1, queued: 1 });
  for (const id of ["a1", "a2"]) {
    end(id);
    await settle();
  }
  expect(lanes.count()).toEqual({ running: 0, queued: 0 });
  lanes.add({ id: "a3", key: "a" });
  expect([begun, lanes.count()]).toEqual([["a1", "a2", "a3"], { running: 1, queued: 0 }]);
});

test("it has ended when everything that runs has ended", async () => {
  const { run, end } = gated();
  const lanes = createLanes(run, { queueMax: 10 });
  for (const key of ["a", "b"]) lanes.add({ id: `${key}1`, key });
  lanes.close();
  let isEnded = false;
  const ended = lanes.ended().then(() => {
    isEnded = true;
  });
  end("a1");
  await settle();
  expect(isEnded).toBe(false);
  end("b1");
  await ended;
  expect(isEnded).toBe(true);
});
