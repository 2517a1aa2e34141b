import { type BreakerLimits, defaultBreakerLimits } from "../../limits.ts";
import type { Clock } from "../../ports/clock.ts";

/** Circuit breaker per target: stops requests to a failing target for a while (reliability 4.3). */
export type Breaker = {
  /** 0: try now and report the result. Otherwise the milliseconds until the next call. */
  waitMs(target: string): number;
  succeeded(target: string): void;
  failed(target: string): void;
  /** An attempt ended without a result about the target. */
  inconclusive(target: string): void;
  /** Open breakers, and breakers with a probe running. */
  count(): { open: number; probing: number };
};

type TargetState = {
  /** Times of the last failures, newest last. */
  failures: number[];
  /** 0: closed. */
  openUntil: number;
  openMs: number;
  /** A probe is running. */
  isProbed: boolean;
  updatedAt: number;
};

// While a probe runs, other deliveries check again after this time.
const probePauseMs = 1_000;

export function createBreaker(clock: Pick<Clock, "now">, limits: BreakerLimits = defaultBreakerLimits): Breaker {
  const targets = new Map<string, TargetState>();
  // A time in the future means that the clock was set back.
  const isStale = ({ updatedAt }: TargetState) => updatedAt > clock.now() || updatedAt + limits.forgetMs <= clock.now();
  const current = (name: string): TargetState | undefined => {
    const target = targets.get(name);
    if (target === undefined || !isStale(target)) return target;
    targets.delete(name);
    return undefined;
  };
  /** Keeps the map in order of update, the oldest first. */
  const update = (name: string, target: TargetState) => {
    target.updatedAt = clock.now();
    targets.delete(name);
    targets.set(name, target);
    for (const [oldest, one] of targets) {
      if (targets.size <= limits.targetsMax && !isStale(one)) return;
      targets.delete(oldest);
    }
  };
  return {
    waitMs(name) {
      const target = current(name);
      if (target === undefined || target.openUntil === 0) return 0;
      const leftMs = target.openUntil - clock.now();
      if (leftMs > 0) return leftMs;
      if (target.isProbed) return probePauseMs;
      target.isProbed = true;
      return 0;
    },
    succeeded: (name) => targets.delete(name),
    failed(name) {
      const target = current(name) ?? newTarget(limits);
      const now = clock.now();
      target.failures = [...target.failures.filter((at) => at > now - limits.windowMs), now].slice(-limits.failuresMax);
      if (target.isProbed) {
        target.openMs = Math.min(limits.openMaxMs, target.openMs * 2);
        target.openUntil = now + target.openMs;
      } else if (target.openUntil === 0 && target.failures.length >= limits.failuresMax) {
        target.openUntil = now + target.openMs;
      }
      target.isProbed = false;
      update(name, target);
    },
    inconclusive(name) {
      const target = current(name);
      if (target !== undefined) target.isProbed = false;
    },
    count() {
      const all = [...targets.values()].filter(({ openUntil }) => openUntil > 0);
      const probing = all.filter(({ isProbed }) => isProbed).length;
      return { open: all.length - probing, probing };
    },
  };
}

function newTarget({ openMs }: BreakerLimits): TargetState {
  return { failures: [], openUntil: 0, openMs, isProbed: false, updatedAt: 0 };
}

/** The URL without query and fragment. */
export function targetOf(serviceUrl: string): string {
  const url = URL.canParse(serviceUrl) ? new URL(serviceUrl) : undefined;
  return url === undefined ? serviceUrl : `${url.origin}${url.pathname}`;
}
