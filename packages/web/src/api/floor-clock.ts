/** The floor's time on this computer, whose own clock may be wrong: deadlines are the floor's. */
export type FloorClock = {
  /** The `Date` of an answer, and when it was asked for by our clock. */
  observe(date: string | null, askedAtMs: number): void;
  nowMs(): number;
};

/** `Date` counts whole seconds. */
const resolutionMs = 1_000;

/**
 * The floor wrote its answer between question and arrival, so each answer bounds how far its clock is ahead of ours. What
 * fits the bounds is kept, so that slow answers change nothing; a clock that was set anew is followed.
 */
export function createFloorClock(ownMs: () => number = Date.now): FloorClock {
  let aheadMs = 0;
  return {
    observe(date, askedAtMs) {
      const floorMs = Date.parse(date ?? "");
      if (Number.isNaN(floorMs)) return;
      const least = floorMs - ownMs();
      const most = floorMs + resolutionMs - askedAtMs;
      aheadMs = Math.max(least, Math.min(aheadMs, most));
    },
    nowMs: () => ownMs() + aheadMs,
  };
}

/** A page has one floor: the one it came from. */
export const floorClock = createFloorClock(() => Date.now());
