import { expect, test } from "vitest";
import { Stop } from "./stop-signal.ts";

function createCalls() {
  const calls: string[] = [];
  const listener = (name: string) => () => {
    calls.push(name);
  };
  return { calls, a: listener("a"), b: listener("b"), c: listener("c") };
}

test("abort calls each listener once, in order", () => {
  const stop = new Stop();
  const { calls, a, b, c } = createCalls();
  for (const listener of [a, b, c]) stop.addEventListener("abort", listener);
  expect([stop.aborted, calls]).toEqual([false, []]);
  stop.abort();
  stop.abort();
  expect([stop.aborted, calls]).toEqual([true, ["a", "b", "c"]]);
});

test("a listener sees that the stop is aborted", () => {
  const stop = new Stop();
  const seen: boolean[] = [];
  stop.addEventListener("abort", () => seen.push(stop.aborted, stop.signal.aborted));
  stop.abort();
  expect(seen).toEqual([true, true]);
});

test("a removed listener is not called", () => {
  for (const removed of ["a", "b", "c"] as const) {
    const stop = new Stop();
    const { calls, ...listeners } = createCalls();
    for (const listener of Object.values(listeners)) stop.addEventListener("abort", listener);
    stop.removeEventListener("abort", listeners[removed]);
    stop.removeEventListener("abort", () => {});
    stop.abort();
    expect(calls).toEqual(["a", "b", "c"].filter((name) => name !== removed));
  }
});

test("a listener that is added twice is called once", () => {
  const { calls, a, b } = createCalls();
  const stop = new Stop();
  for (const listener of [a, a, b, b]) stop.addEventListener("abort", listener);
  // The place of the first listener is free, and the other one is there already.
  stop.removeEventListener("abort", a);
  stop.addEventListener("abort", b);
  stop.abort();
  expect(calls).toEqual(["b"]);
});

test("a listener that another one removes during the abort is not called", () => {
  const { calls, a, b } = createCalls();
  const stop = new Stop();
  stop.addEventListener("abort", () => stop.removeEventListener("abort", b));
  for (const listener of [a, b]) stop.addEventListener("abort", listener);
  stop.abort();
  expect(calls).toEqual(["a"]);
});

test("a listener that is added during or after the abort is not called", () => {
  const { calls, a, b } = createCalls();
  const stop = new Stop();
  stop.addEventListener("abort", () => stop.addEventListener("abort", a));
  stop.addEventListener("abort", () => stop.addEventListener("abort", a));
  stop.abort();
  stop.addEventListener("abort", b);
  stop.abort();
  expect(calls).toEqual([]);
});

test("there is one platform signal, and it aborts with the stop", () => {
  const stop = new Stop();
  const { signal } = stop;
  const { calls, a } = createCalls();
  signal.addEventListener("abort", a);
  expect([signal instanceof AbortSignal, signal.aborted, stop.signal === signal]).toEqual([true, false, true]);
  stop.abort();
  expect([signal.aborted, stop.signal === signal, calls]).toEqual([true, true, ["a"]]);
});

test("a platform signal that is asked for after the abort has aborted", () => {
  const stop = new Stop();
  stop.abort();
  const { signal } = stop;
  expect([signal.aborted, stop.signal === signal]).toEqual([true, true]);
  expect(() => signal.throwIfAborted()).toThrow(expect.objectContaining({ name: "AbortError" }));
});
