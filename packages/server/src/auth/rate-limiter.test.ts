import { expect, test } from "vitest";
import { defaultRateLimits } from "../limits.ts";
import { createBuckets } from "./rate-limiter.ts";

function clockAt(ms: number) {
  const clock = { ms, now: () => clock.ms, at: () => () => {} };
  return clock;
}

test("a burst is accepted, then the rate, and a rejection has the time to wait", () => {
  const clock = clockAt(1_000_000_000);
  const buckets = createBuckets({ perS: 2, burst: 3 }, 100, clock);
  expect([1, 2, 3].map(() => buckets.take("a"))).toEqual([0, 0, 0]);
  expect(buckets.take("a")).toBe(0.5);
  clock.ms += 500;
  expect([buckets.take("a"), buckets.take("a")]).toEqual([0, 0.5]);
  clock.ms += 3_600_000;
  expect([1, 2, 3, 4].map(() => buckets.take("a"))).toEqual([0, 0, 0, 0.5]);
  clock.ms += 500;
  expect([buckets.take("a", 2), buckets.take("a")]).toEqual([0.5, 0]);
});

test("each key has its own bucket", () => {
  const buckets = createBuckets({ perS: 1, burst: 1 }, 100, clockAt(1_000_000_000));
  expect([buckets.take("a"), buckets.take("b"), buckets.take("a")]).toEqual([0, 0, 1]);
});

test("rejected requests do not prolong the wait", () => {
  const clock = clockAt(1_000_000_000);
  const buckets = createBuckets({ perS: 1, burst: 1 }, 100, clock);
  buckets.take("a");
  for (let step = 0; step < 9; step += 1) {
    clock.ms += 100;
    expect(buckets.take("a")).toBeGreaterThan(0);
  }
  clock.ms += 101;
  expect(buckets.take("a")).toBe(0);
});

test("a clock that is set back changes no bucket", () => {
  const clock = clockAt(1_000_000_000);
  const buckets = createBuckets({ perS: 1, burst: 2 }, 100, clock);
  buckets.take("a");
  clock.ms -= 3_600_000;
  expect([buckets.take("a"), buckets.take("a")]).toEqual([0, 1]);
});

test("the number of keys is limited, and recently used ones are kept", () => {
  const buckets = createBuckets({ perS: 1, burst: 1 }, 3, clockAt(1_000_000_000));
  expect(["busy", "b", "c"].map((key) => buckets.take(key))).toEqual([0, 0, 0]);
  expect(["busy", "b", "c"].map((key) => buckets.take(key))).toEqual([1, 1, 1]);
  for (const key of ["d", "e", "f"]) expect([buckets.take("busy"), buckets.take(key)]).toEqual([1, 0]);
  expect(buckets.take("busy")).toBe(1);
  expect(buckets.take("d")).toBe(0);
});

test("ten invalid credentials per address and minute are checked, and no more", () => {
  const clock = clockAt(1_000_000_000);
  const buckets = createBuckets(defaultRateLimits.badCredentials, 100, clock);
  const taken = () => Array.from({ length: 20 }, () => buckets.take("a")).filter((waitS) => waitS === 0).length;
  expect(taken()).toBe(10);
  clock.ms += 60_000;
  expect(taken()).toBe(10);
});
