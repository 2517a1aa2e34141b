import { expect, test } from "vitest";
import { defaultBreakerLimits } from "../../limits.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createBreaker, targetOf } from "./circuit-breaker.ts";

const bot = "http://bot.example/";

function broken(limits = {}) {
  const clock = createFakeClock();
  const breaker = createBreaker(clock, { ...defaultBreakerLimits, ...limits });
  const fail = (times: number, target = bot) => {
    for (let count = 0; count < times; count += 1) breaker.failed(target);
  };
  return { clock, breaker, fail };
}

test("five failures within thirty seconds open the breaker for ten", async () => {
  const { clock, breaker, fail } = broken();
  fail(4);
  expect(breaker.waitMs(bot)).toBe(0);
  fail(1);
  expect(breaker.waitMs(bot)).toBe(10_000);
  await clock.advance(9_999);
  expect(breaker.waitMs(bot)).toBe(1);
  await clock.advance(1);
  expect(breaker.waitMs(bot)).toBe(0);
});

test("failures further apart, or with a success between them, do not open the breaker", async () => {
  const { clock, breaker, fail } = broken();
  for (let count = 0; count < 20; count += 1) {
    fail(1);
    await clock.advance(7_500);
  }
  expect(breaker.waitMs(bot)).toBe(0);
  fail(4);
  breaker.succeeded(bot);
  fail(4);
  expect(breaker.waitMs(bot)).toBe(0);
});

test("a failure of thirty seconds ago no longer counts, and one of a millisecond less does", async () => {
  for (const [agoMs, pauseMs] of [
    [30_000, 0],
    [29_999, 10_000],
  ] as const) {
    const { clock, breaker, fail } = broken();
    fail(1);
    await clock.advance(agoMs);
    fail(4);
    expect(breaker.waitMs(bot)).toBe(pauseMs);
  }
});

test("occasional failures over a long time do not open the breaker", async () => {
  const { clock, breaker, fail } = broken();
  for (let count = 0; count < 10; count += 1) {
    fail(2);
    await clock.advance(29_999);
    fail(2);
    await clock.advance(30_000);
  }
  expect(breaker.waitMs(bot)).toBe(0);
});

test("one probe runs while others wait; each failed probe doubles the pause up to five minutes", async () => {
  const { clock, breaker, fail } = broken();
  fail(5);
  const pauses: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    const pause = breaker.waitMs(bot);
    pauses.push(pause);
    await clock.advance(pause);
    expect(breaker.waitMs(bot)).toBe(0);
    expect(breaker.waitMs(bot)).toBeGreaterThan(0);
    expect(breaker.count()).toEqual({ open: 0, probing: 1 });
    fail(1);
  }
  expect(pauses).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
});

test("a success closes the breaker", async () => {
  const { clock, breaker, fail } = broken();
  fail(5);
  await clock.advance(10_000);
  expect(breaker.waitMs(bot)).toBe(0);
  breaker.succeeded(bot);
  expect([breaker.waitMs(bot), breaker.waitMs(bot)]).toEqual([0, 0]);
  expect(breaker.count()).toEqual({ open: 0, probing: 0 });
});

test("an aborted probe allows another one", async () => {
  const { clock, breaker, fail } = broken();
  fail(5);
  await clock.advance(10_000);
  expect(breaker.waitMs(bot)).toBe(0);
  breaker.inconclusive(bot);
  expect(breaker.waitMs(bot)).toBe(0);
});

test("an attempt begun before the breaker opened neither doubles the pause nor counts as the probe", () => {
  const { breaker, fail } = broken();
  fail(8);
  expect(breaker.waitMs(bot)).toBe(10_000);
});

test("a late failure while the breaker is open does not prolong the pause", async () => {
  const { clock, breaker, fail } = broken();
  fail(5);
  await clock.advance(4_000);
  fail(5);
  expect(breaker.waitMs(bot)).toBe(6_000);
});

test("beyond the maximum of targets the least recently failed is dropped", () => {
  const { breaker, fail } = broken({ targetsMax: 3 });
  for (const target of ["a", "b", "c", "a", "d"]) fail(5, target);
  expect(["a", "b", "c", "d"].map((target) => breaker.waitMs(target) > 0)).toEqual([true, false, true, true]);
});

test("targets are independent, and old state is dropped", async () => {
  const { clock, breaker, fail } = broken({ targetsMax: 3, forgetMs: 60_000 });
  for (const target of ["a", "b", "c"]) fail(5, target);
  expect(breaker.waitMs("d")).toBe(0);
  fail(5, "d");
  expect(["a", "b", "c", "d"].map((target) => breaker.waitMs(target) > 0)).toEqual([false, true, true, true]);
  expect(breaker.count()).toEqual({ open: 3, probing: 0 });
  await clock.advance(60_000);
  expect(breaker.waitMs("b")).toBe(0);
  fail(1, "e");
  expect(breaker.count()).toEqual({ open: 0, probing: 0 });
});

test("a target is the URL without query and fragment", () => {
  expect(targetOf("https://Bots.example:443/one?key=1#x")).toBe("https://bots.example/one");
  expect(targetOf("https://bots.example/two")).not.toBe(targetOf("https://bots.example/one"));
  expect(targetOf("no address")).toBe("no address");
});

test("a clock that is set back does not keep a breaker open for hours", () => {
  let now = Date.UTC(2026, 0, 1);
  const breaker = createBreaker({ now: () => now });
  for (let count = 0; count < 5; count += 1) breaker.failed(bot);
  expect(breaker.waitMs(bot)).toBe(10_000);
  now -= 3_600_000;
  expect(breaker.waitMs(bot)).toBe(0);
});
