import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createThrottle } from "./throttle.ts";

let runs: number;
const pace = { afterMs: 60, restMs: 200 };
const run = async () => {
  runs += 1;
};

beforeEach(() => {
  vi.useFakeTimers();
  runs = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

test("many requests at once cause one run", async () => {
  const asked = createThrottle(run, pace);
  for (let count = 0; count < 100; count += 1) asked.ask();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs).toBe(1);
});

test("continuous requests cause a run at most every 260 ms, and one more at the end", async () => {
  const asked = createThrottle(run, pace);
  for (let count = 0; count < 200; count += 1) {
    asked.ask();
    await vi.advanceTimersByTimeAsync(13);
  }
  const until = runs;
  expect(until).toBe(10);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs).toBe(until + 1);
});

test("a stopped throttle does not run", async () => {
  const asked = createThrottle(run, pace);
  asked.ask();
  asked.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs).toBe(0);
});
