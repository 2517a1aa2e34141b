import type { Clock } from "../ports/clock.ts";

/** Sustained rate, and burst after a pause. */
export type Rate = { perS: number; burst: number };

export type RateLimits = {
  /** Requests and frames per credential. The operator has no limit. */
  perPrincipal: Rate;
  /** Requests per address, or per /64 of IPv6, with or without a credential, except those of the operator. */
  perAddress: Rate;
  /** Calls per address and hosted agent, which need no credential. */
  hostedAgents: Rate;
  /** Bytes per address without a credential, to hosted agents and relay addresses; a JSON value counts as 32. */
  anonymousBytes: Rate;
  /** Invalid credentials per address; beyond that the answer is 429 instead of 401. */
  badCredentials: Rate;
  /** New conversations per credential. */
  conversations: Rate;
  /** Maximum of stored addresses and credentials; the least recently used is dropped first. */
  remembered: number;
};

export const defaultRateLimits: RateLimits = {
  perPrincipal: { perS: 50, burst: 200 },
  perAddress: { perS: 200, burst: 800 },
  hostedAgents: { perS: 20, burst: 100 },
  anonymousBytes: { perS: 524_288, burst: 2_097_152 },
  badCredentials: { perS: 10 / 60, burst: 10 },
  conversations: { perS: 1 / 30, burst: 100 },
  remembered: 20_000,
};

export type Buckets = {
  /** 0 when the cost was taken, otherwise the seconds until it can be. The cost is capped at the burst. */
  take(key: string, cost?: number): number;
};

/** One token bucket per key. A dropped key starts with a full bucket again. */
export function createBuckets({ perS, burst }: Rate, remembered: number, clock: Clock): Buckets {
  const buckets = new Map<string, { left: number; atMs: number }>();
  return {
    take(key, cost = 1) {
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
