import type { Clock } from "../ports/clock.ts";

/** A clock that a test sets. */
export type FakeClock = Clock & {
  /** Fires all timers due by then, in order, and lets pending promises run after each. */
  advance(ms: number): Promise<void>;
  /** Number of pending timers. */
  pending(): number;
};

export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startMs;
  const timers = new Set<{ atMs: number; callback: () => void }>();
  const nextTimer = (untilMs: number) =>
    [...timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
  return {
    now: () => nowMs,
    at(atMs, callback) {
      const timer = { atMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pending: () => timers.size,
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settle();
      for (let timer = nextTimer(untilMs); timer !== undefined; timer = nextTimer(untilMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.atMs);
        timer.callback();
        await settle();
      }
      nowMs = untilMs;
    },
  };
}

/** Lets all pending promises run. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
