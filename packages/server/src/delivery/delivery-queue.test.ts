import { expect, test } from "vitest";
import { settle } from "../testing/fake-clock.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";

function manualJobs() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (job: { id: string }) =>
    new Promise<void>((resolve) => {
      started.push(job.id);
      ends.set(job.id, resolve);
    });
  return { started, run, end: (id: string) => ends.get(id)?.() };
}

test("one job at a time for each key, in order; keys do not wait for each other", async () => {
  const { started, run, end } = manualJobs();
  const queue = createDeliveryQueue(run, { queueMax: 10 });
  for (const [id, key] of [
    ["a1", "a"],
    ["a2", "a"],
    ["b1", "b"],
  ] as const) {
    expect(queue.add({ id, key })).toBe(true);
  }
  await settle();
  expect(started).toEqual(["a1", "b1"]);
  expect([queue.find("a1")?.id, queue.find("a2")?.id]).toEqual(["a1", "a2"]);
  end("a1");
  await settle();
  expect(started).toEqual(["a1", "b1", "a2"]);
  expect(queue.find("a1")).toBeUndefined();
});

test("a full queue rejects jobs", () => {
  const queue = createDeliveryQueue(manualJobs().run, { queueMax: 1 });
  expect([1, 2, 3].map((count) => queue.add({ id: `j${count}`, key: "k" }))).toEqual([true, true, false]);
});

test("closing starts no job and returns the running ones", async () => {
  const { started, run, end } = manualJobs();
  const queue = createDeliveryQueue(run, { queueMax: 10 });
  queue.add({ id: "a1", key: "a" });
  queue.add({ id: "a2", key: "a" });
  expect(queue.close().map(({ id }) => id)).toEqual(["a1"]);
  end("a1");
  await queue.ended();
  await settle();
  expect(started).toEqual(["a1"]);
});

test("an idle key accepts jobs again, and running and queued jobs are counted", async () => {
  const { started, run, end } = manualJobs();
  const queue = createDeliveryQueue(run, { queueMax: 10 });
  queue.add({ id: "a1", key: "a" });
  queue.add({ id: "a2", key: "a" });
  expect(queue.count()).toEqual({ running: 1, queued: 1 });
  for (const id of ["a1", "a2"]) {
    end(id);
    await settle();
  }
  expect(queue.count()).toEqual({ running: 0, queued: 0 });
  queue.add({ id: "a3", key: "a" });
  expect([started, queue.count()]).toEqual([["a1", "a2", "a3"], { running: 1, queued: 0 }]);
});

test("`ended` resolves when every running job has ended", async () => {
  const { run, end } = manualJobs();
  const queue = createDeliveryQueue(run, { queueMax: 10 });
  for (const key of ["a", "b"]) queue.add({ id: `${key}1`, key });
  queue.close();
  let isEnded = false;
  const ended = queue.ended().then(() => {
    isEnded = true;
  });
  end("a1");
  await settle();
  expect(isEnded).toBe(false);
  end("b1");
  await ended;
  expect(isEnded).toBe(true);
});
