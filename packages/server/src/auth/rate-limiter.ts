import type { Clock } from "../ports/clock.ts";

/** So many a second in the long run, and so many at once after a pause. */
export type Rate = { perS: number; burst: number };

export type RateLimits = {
  /** Requests and frames of one credential. The operator has no limit. */
  perPrincipal: Rate;
  /** Requests from one address, or one /64 of IPv6, of everybody but the operator, and of nobody in particular. */
  perAddress: Rate;
  /** Calls from one address of one agent that lives here: nobody has to prove who he is for that. */
  hostedAgents: Rate;
  /** Bytes that one address sends without a credential to agents and relay addresses here; a JSON value counts as 32. */
  strangerBytes: Rate;
  /** Credentials from one address that are nobody's, before they are answered by 429 instead of 401. */
  badCredentials: Rate;
  /** Conversations that one credential begins. */
  conversations: Rate;
  /** Addresses and credentials that are remembered; those not heard of for longest are forgotten first. */
  remembered: number;
};

export const defaultRateLimits: RateLimits = {
  perPrincipal: { perS: 50, burst: 200 },
  perAddress: { perS: 200, burst: 800 },
  hostedAgents: { perS: 20, burst: 100 },
  strangerBytes: { perS: 524_288, burst: 2_097_152 },
  badCredentials: { perS: 10 / 60, burst: 10 },
  conversations: { perS: 1 / 30, burst: 100 },
  remembered: 20_000,
};

export type Buckets = {
  /** 0 when it was taken, else the seconds until there is as much to take; a full bucket is enough for everything. */
  take(key: string, cost?: number): number;
};

/** One bucket of tokens for each key. A key that is forgotten has a full one again, which is what it would have by then. */
export function createBuckets({ perS, burst }: Rate, remembered: number, clock: Clock): Buckets {
  const buckets = new Map<string, { left: number; atMs: number }>();
  return {
    take(key, cost = 1) {
      const price = Math.min(cost, burst);
      const nowMs = clock.now();
      const known = buckets.get(key);
      const grown = known && known.left + (Math.max(0, nowMs - known.atMs) / 1_000) * perS;
      const left = Math.min(burst, grown ?? burst);
      // The order of the map is the order in which they were heard of last.
      buckets.delete(key);
      buckets.set(key, { left: left >= price ? left - price : left, atMs: nowMs });
      const [oldest] = buckets.keys();
      if (buckets.size > remembered && oldest !== undefined) buckets.delete(oldest);
      return left >= price ? 0 : (price - left) / perS;
    },
  };
}
