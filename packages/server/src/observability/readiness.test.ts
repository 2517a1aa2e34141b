import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createReadiness } from "./readiness.ts";

function disk() {
  const state = { isFull: false, writes: 0 };
  return {
    state,
    async ready() {
      state.writes += 1;
      if (state.isFull) throw new Error("no space left");
    },
  };
}

test("each probe gets the outcome of a write that began after it, both failure and recovery", async () => {
  const clock = createFakeClock();
  const { state, ready } = disk();
  const isReady = createReadiness({ ready }, clock);
  expect(await isReady()).toBe(true);
  state.isFull = true;
  const second = isReady();
  await clock.advance(250);
  expect(await second).toBe(false);
  state.isFull = false;
  const third = isReady();
  await clock.advance(250);
  expect(await third).toBe(true);
  expect(state.writes).toBe(3);
});

test("a flood of probes causes one write in 250 ms", async () => {
  const clock = createFakeClock();
  const { state, ready } = disk();
  const isReady = createReadiness({ ready }, clock);
  const probes = Array.from({ length: 100 }, isReady);
  expect(state.writes).toBe(1);
  await clock.advance(249);
  expect(state.writes).toBe(1);
  await clock.advance(1);
  expect(state.writes).toBe(2);
  expect(new Set(await Promise.all(probes))).toEqual(new Set([true]));
  await clock.advance(10_000);
  expect(state.writes).toBe(2);
});

test("a clock that is set back delays no probe", async () => {
  const clock = createFakeClock();
  const { state, ready } = disk();
  const hour = 3_600_000;
  let backMs = 0;
  const isReady = createReadiness({ ready }, { ...clock, now: () => clock.now() - backMs });
  expect(await isReady()).toBe(true);
  backMs = hour;
  expect(await isReady()).toBe(true);
  expect(state.writes).toBe(2);
});
