import type { Rate } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";

export type Buckets = ReturnType<typeof createBuckets>;

/** One token bucket per key. A dropped key starts with a full bucket again. */
export function createBuckets({ perS, burst }: Rate, remembered: number, clock: Clock) {
  const buckets = new Map<string, { left: number; atMs: number }>();
  return {
    /** 0 when the cost was taken, otherwise the seconds until it can be. The cost is capped at the burst. */
    take(key: string, cost = 1): number {
      const price = Math.min(cost, burst);
      const nowMs = clock.now();
      const known = buckets.get(key);
      const grown = known && known.left + (Math.max(0, nowMs - known.atMs) / 1_000) * perS;
      const left = Math.min(burst, grown ?? burst);
      // The map is ordered by last use.
      buckets.delete(key);
      buckets.set(key, { left: left >= price ? left - price : left, atMs: nowMs });
      const [oldest] = buckets.keys();
      if (buckets.size > remembered && oldest !== undefined) buckets.delete(oldest);
      return left >= price ? 0 : (price - left) / perS;
    },
  };
}
