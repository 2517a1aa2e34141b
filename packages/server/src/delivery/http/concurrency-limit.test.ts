import { expect, test } from "vitest";
import { settle } from "../../testing/fake-clock.ts";
import { createBerths } from "./concurrency-limit.ts";

function harbour(max: number, perTargetMax = max) {
  const berths = createBerths({ max, perTargetMax });
  const out: string[] = [];
  const ends = new Map<string, () => void>();
  const { signal } = new AbortController();
  const send = (name: string, target = name.slice(0, 1), given = signal) =>
    berths.take(target, given).then((end) => {
      if (end === undefined) return;
      out.push(name);
      ends.set(name, end);
    });
  return { berths, out, send, end: (name: string) => ends.get(name)?.() };
}

test("no more are out than may be, and those that wait take turns target by target", async () => {
  const { berths, out, send, end } = harbour(2);
  const all = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"].map((name) => send(name));
  await settle();
  expect(out).toEqual(["a1", "a2"]);
  expect([berths.taken(), berths.waiting()]).toEqual([2, 5]);
  for (let count = 0; count < 7; count += 1) {
    end(out[count] ?? "");
    await settle();
    expect(berths.taken()).toBeLessThanOrEqual(2);
  }
  await Promise.all(all);
  expect(out).toEqual(["a1", "a2", "a3", "b1", "c1", "a4", "b2"]);
  expect([berths.taken(), berths.waiting()]).toEqual([0, 0]);
});

test("one slow target does not take every place", async () => {
  const { berths, out, send, end } = harbour(3, 2);
  for (const name of ["a1", "a2", "a3", "b1"]) send(name).catch(() => {});
  await settle();
  expect(out).toEqual(["a1", "a2", "b1"]);
  end("b1");
  await settle();
  expect(out).toEqual(["a1", "a2", "b1"]);
  end("a2");
  end("a2");
  await settle();
  expect(out).toEqual(["a1", "a2", "b1", "a3"]);
  send("a4").catch(() => {});
  await settle();
  expect(out).toEqual(["a1", "a2", "b1", "a3"]);
  // A place that is given back twice is free once.
  expect(berths.taken()).toBe(2);
});

test("whoever gives up waiting holds no place", async () => {
  const { berths, out, send, end } = harbour(1);
  await send("a1");
  const controller = new AbortController();
  const given = send("b1", "b", controller.signal);
  controller.abort();
  await given;
  expect(berths.waiting()).toBe(0);
  end("a1");
  await send("c1");
  expect(out).toEqual(["a1", "c1"]);
  expect(berths.taken()).toBe(1);
});

test("one that is stopped before it asks gets no place and does not wait", async () => {
  const { berths, out, send } = harbour(1);
  await send("a1", "a", AbortSignal.abort());
  expect([out, berths.taken()]).toEqual([[], 0]);
  await send("b1");
  await send("a2", "a", AbortSignal.abort());
  expect([out, berths.taken(), berths.waiting()]).toEqual([["b1"], 1, 0]);
});
