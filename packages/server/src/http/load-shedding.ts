import { Problem } from "../errors.ts";
import type { LoadLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";

export type LoadShedder = ReturnType<typeof createLoadShedder>;

/** Limits concurrent work and queues the rest in order, so that a flood of envelopes does not block the process. */
export function createLoadShedder(
  { atOnceMax, waitingMax, refuseAfterMs }: LoadLimits,
  { clock, onRefused }: { clock: Clock; onRefused: () => void },
) {
  const queue: (() => void)[] = [];
  let next = 0;
  let running = 0;
  const waiting = () => queue.length - next;

  function leave(): void {
    running -= 1;
    const first = queue[next];
    if (first === undefined) return;
    next += 1;
    // Compacts the array rarely: `shift` on a long queue is slow.
    if (next > 1_024 || next === queue.length) next -= queue.splice(0, next).length;
    running += 1;
    first();
  }

  async function runOne<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } finally {
      leave();
    }
  }

  const isFull = () => running >= atOnceMax && waiting() >= waitingMax;

  async function wait(): Promise<void> {
    if (isFull()) await new Promise<void>((resolve) => clock.at(clock.now() + refuseAfterMs, resolve));
    if (isFull()) {
      onRefused();
      throw new Problem("overloaded", { detail: "too many envelopes are waiting" });
    }
    if (running < atOnceMax) running += 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
  }

  return {
    waiting,
    /** Rejects with the problem `overloaded` when the queue is full. */
    run<T>(run: () => Promise<T>): Promise<T> {
      if (running >= atOnceMax) return wait().then(() => runOne(run));
      running += 1;
      return runOne(run);
    },
  };
}
