import type { Clock } from "../ports/clock.ts";

/** A clock that a test sets. */
export type FakeClock = Clock & {
  /** Lets everything ring that is due by then, in order, and lets what waits on it run. */
  advance(ms: number): Promise<void>;
  /** How much is still to ring. */
  pending(): number;
};

export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startMs;
  const bells = new Set<{ atMs: number; ring: () => void }>();
  const nextBell = (untilMs: number) =>
    [...bells].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
  return {
    now: () => nowMs,
    at(atMs, ring) {
      const bell = { atMs, ring };
      bells.add(bell);
      return () => bells.delete(bell);
    },
    pending: () => bells.size,
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settle();
      for (let bell = nextBell(untilMs); bell !== undefined; bell = nextBell(untilMs)) {
        bells.delete(bell);
        nowMs = Math.max(nowMs, bell.atMs);
        bell.ring();
        await settle();
      }
      nowMs = untilMs;
    },
  };
}

/** Everything that waits on promises alone has run. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
