import type { MaybePromise } from "../../ports/maybe-promise.ts";
import type { StopSignal } from "../../stop-signal.ts";

/** Limits concurrent outbound requests, in total and per target. Waiting requests are served round-robin by target. */
export type ConcurrencyLimit = {
  /** A function that releases the request, at once where one is free; undefined when the signal fired first. */
  take(target: string, signal: StopSignal): MaybePromise<(() => void) | undefined>;
  taken(): number;
  waiting(): number;
};

type Waiter = { grant: () => void };

export function createConcurrencyLimit({ max, perTargetMax }: { max: number; perTargetMax: number }): ConcurrencyLimit {
  const taken = new Map<string, number>();
  /** The least recently served target comes first. */
  const queues = new Map<string, Set<Waiter>>();
  let total = 0;
  let waiting = 0;

  const isFree = (target: string) => total < max && (taken.get(target) ?? 0) < perTargetMax;
  const acquire = (target: string): (() => void) => {
    total += 1;
    taken.set(target, (taken.get(target) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      total -= 1;
      const left = (taken.get(target) ?? 1) - 1;
      if (left > 0) taken.set(target, left);
      else taken.delete(target);
      serve();
    };
  };
  const serve = () => {
    for (const [target, queue] of queues) {
      const [next] = queue;
      if (next === undefined || !isFree(target)) continue;
      leave(target, next);
      // Moves this target behind the others.
      if (queues.delete(target)) queues.set(target, queue);
      next.grant();
      return;
    }
  };
  const leave = (target: string, one: Waiter) => {
    const queue = queues.get(target);
    if (queue?.delete(one) !== true) return;
    waiting -= 1;
    if (queue.size === 0) queues.delete(target);
  };

  return {
    taken: () => total,
    waiting: () => waiting,
    take(target, signal) {
      if (signal.aborted) return undefined;
      if (isFree(target)) return acquire(target);
      return new Promise((resolve) => {
        const onAbort = () => {
          leave(target, one);
          resolve(undefined);
        };
        const one: Waiter = {
          grant() {
            signal.removeEventListener("abort", onAbort);
            resolve(acquire(target));
          },
        };
        const queue = queues.get(target) ?? new Set();
        queues.set(target, queue.add(one));
        waiting += 1;
        signal.addEventListener("abort", onAbort, { once: true });
      });
    },
  };
}
