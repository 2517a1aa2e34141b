import type { Clock } from "../../ports/clock.ts";

export type BreakerLimits = {
  /** So many failures in a row, within this time, and nothing is sent there for a while. */
  failuresMax: number;
  windowMs: number;
  /** How long, at first; doubled with each attempt that fails after it. */
  openMs: number;
  openMaxMs: number;
  /** What is known about a target is forgotten when nothing was heard of it for so long. */
  forgetMs: number;
  /** Targets that are remembered; the one heard of longest ago is forgotten first. */
  targetsMax: number;
};

export const defaultBreakerLimits: BreakerLimits = {
  failuresMax: 5,
  windowMs: 30_000,
  openMs: 10_000,
  openMaxMs: 300_000,
  forgetMs: 900_000,
  targetsMax: 10_000,
};

/** Spares targets that fail, and everybody who waits for them, the attempts that would fail too (reliability 4.3). */
export type Breaker = {
  /** 0: it may be tried now, and how that went is to be told. Else the milliseconds after which to ask again. */
  waitMs(target: string): number;
  succeeded(target: string): void;
  failed(target: string): void;
  /** An attempt ended that says nothing about the target. */
  leftOpen(target: string): void;
  /** Targets that are spared, and targets of which one attempt is under way. */
  count(): { open: number; probing: number };
};

type Target = {
  /** When it failed, newest last; no more than matter. */
  failures: number[];
  /** Zero: attempts are free. */
  openUntil: number;
  openMs: number;
  /** One attempt is under way to see whether it is back. */
  isProbed: boolean;
  heardAt: number;
};

// While one attempt finds out, the others look again soon.
const probePauseMs = 1_000;

export function createBreaker(clock: Pick<Clock, "now">, limits: BreakerLimits = defaultBreakerLimits): Breaker {
  const targets = new Map<string, Target>();
  // What was heard in the future was heard by a clock that has been set back since.
  const isStale = ({ heardAt }: Target) => heardAt > clock.now() || heardAt + limits.forgetMs <= clock.now();
  const known = (name: string): Target | undefined => {
    const target = targets.get(name);
    if (target === undefined || !isStale(target)) return target;
    targets.delete(name);
    return undefined;
  };
  /** The newest stand last, so that the first are the ones to forget. */
  const note = (name: string, target: Target) => {
    target.heardAt = clock.now();
    targets.delete(name);
    targets.set(name, target);
    for (const [oldest, one] of targets) {
      if (targets.size <= limits.targetsMax && !isStale(one)) return;
      targets.delete(oldest);
    }
  };
  return {
    waitMs(name) {
      const target = known(name);
      if (target === undefined || target.openUntil === 0) return 0;
      const leftMs = target.openUntil - clock.now();
      if (leftMs > 0) return leftMs;
      if (target.isProbed) return probePauseMs;
      target.isProbed = true;
      return 0;
    },
    succeeded: (name) => targets.delete(name),
    failed(name) {
      const target = known(name) ?? newTarget(limits);
      const now = clock.now();
      target.failures = [...target.failures.filter((at) => at > now - limits.windowMs), now].slice(-limits.failuresMax);
      if (target.isProbed) {
        target.openMs = Math.min(limits.openMaxMs, target.openMs * 2);
        target.openUntil = now + target.openMs;
      } else if (target.openUntil === 0 && target.failures.length >= limits.failuresMax) {
        target.openUntil = now + target.openMs;
      }
      target.isProbed = false;
      note(name, target);
    },
    leftOpen(name) {
      const target = known(name);
      if (target !== undefined) target.isProbed = false;
    },
    count() {
      const all = [...targets.values()].filter(({ openUntil }) => openUntil > 0);
      const probing = all.filter(({ isProbed }) => isProbed).length;
      return { open: all.length - probing, probing };
    },
  };
}

function newTarget({ openMs }: BreakerLimits): Target {
  return { failures: [], openUntil: 0, openMs, isProbed: false, heardAt: 0 };
}

/** An agent is an address without what is asked of it. */
export function targetOf(serviceUrl: string): string {
  const url = URL.canParse(serviceUrl) ? new URL(serviceUrl) : undefined;
  return url === undefined ? serviceUrl : `${url.origin}${url.pathname}`;
}
