import { expect, test } from "vitest";
import { settle } from "../../testing/fake-clock.ts";
import { createConcurrencyLimit } from "./concurrency-limit.ts";

function fixture(max: number, perTargetMax = max) {
  const limit = createConcurrencyLimit({ max, perTargetMax });
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const { signal } = new AbortController();
  const send = (name: string, target = name.slice(0, 1), given = signal) =>
    Promise.resolve(limit.take(target, given)).then((end) => {
      if (end === undefined) return;
      running.push(name);
      ends.set(name, end);
    });
  return { limit, running, send, end: (name: string) => ends.get(name)?.() };
}

test("the limit is never exceeded, and waiting requests are served round-robin by target", async () => {
  const { limit, running, send, end } = fixture(2);
  const all = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"].map((name) => send(name));
  await settle();
  expect(running).toEqual(["a1", "a2"]);
  expect([limit.taken(), limit.waiting()]).toEqual([2, 5]);
  for (let count = 0; count < 7; count += 1) {
    end(running[count] ?? "");
    await settle();
    expect(limit.taken()).toBeLessThanOrEqual(2);
  }
  await Promise.all(all);
  expect(running).toEqual(["a1", "a2", "a3", "b1", "c1", "a4", "b2"]);
  expect([limit.taken(), limit.waiting()]).toEqual([0, 0]);
});

test("one slow target does not use all slots", async () => {
  const { limit, running, send, end } = fixture(3, 2);
  for (const name of ["a1", "a2", "a3", "b1"]) send(name).catch(() => {});
  await settle();
  expect(running).toEqual(["a1", "a2", "b1"]);
  end("b1");
  await settle();
  expect(running).toEqual(["a1", "a2", "b1"]);
  end("a2");
  end("a2");
  await settle();
  expect(running).toEqual(["a1", "a2", "b1", "a3"]);
  send("a4").catch(() => {});
  await settle();
  expect(running).toEqual(["a1", "a2", "b1", "a3"]);
  // Releasing a slot twice frees it once.
  expect(limit.taken()).toBe(2);
});

test("an aborted waiter holds no slot", async () => {
  const { limit, running, send, end } = fixture(1);
  await send("a1");
  const controller = new AbortController();
  const given = send("b1", "b", controller.signal);
  controller.abort();
  await given;
  expect(limit.waiting()).toBe(0);
  end("a1");
  await send("c1");
  expect(running).toEqual(["a1", "c1"]);
  expect(limit.taken()).toBe(1);
});

test("a request aborted before it asks gets no slot and does not wait", async () => {
  const { limit, running, send } = fixture(1);
  await send("a1", "a", AbortSignal.abort());
  expect([running, limit.taken()]).toEqual([[], 0]);
  await send("b1");
  await send("a2", "a", AbortSignal.abort());
  expect([running, limit.taken(), limit.waiting()]).toEqual([["b1"], 1, 0]);
});
