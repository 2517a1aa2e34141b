import { afterEach, expect, test, vi } from "vitest";
import { createClient } from "./client.ts";
import { createFloorClock, floorClock } from "./floor-clock.ts";

const floorMs = Date.parse("2026-11-16T10:00:00Z");
const date = (ms: number) => new Date(ms).toUTCString();

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([-120_000, 0, 120_000])(
  "a browser whose clock is off by %i ms knows the floor's time to the second",
  (offMs) => {
    const clock = createFloorClock(() => floorMs + offMs + 500);
    clock.observe(date(floorMs), floorMs + offMs + 400);
    expect(Math.abs(clock.nowMs() - (floorMs + 500))).toBeLessThanOrEqual(1_000);
  },
);

test("the browser's clock counts before the first response, and an invalid date is ignored", () => {
  const clock = createFloorClock(() => floorMs);
  for (const given of [null, "", "soon"]) clock.observe(given, floorMs);
  expect(clock.nowMs()).toBe(floorMs);
});

test("a slow response does not turn the clock back, and a corrected clock is followed", () => {
  let ownMs = floorMs;
  const clock = createFloorClock(() => ownMs);
  clock.observe(date(floorMs), floorMs);
  ownMs += 20_000;
  clock.observe(date(floorMs), floorMs);
  expect(clock.nowMs()).toBe(floorMs + 20_000);
  ownMs += 3_600_000;
  clock.observe(date(floorMs + 21_000), ownMs);
  expect(Math.abs(clock.nowMs() - (floorMs + 21_000))).toBeLessThanOrEqual(1_000);
});

test("every response updates the clock", async () => {
  vi.useFakeTimers({ now: floorMs + 120_000 });
  vi.stubGlobal("fetch", async () => Response.json({}, { headers: { date: date(floorMs) } }));
  await createClient("t").get("/api/v1/me");
  expect(Math.abs(floorClock.nowMs() - floorMs)).toBeLessThanOrEqual(1_000);
});
