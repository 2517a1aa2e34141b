import { Problem } from "../errors.ts";

export type AdmissionLimits = {
  /** Envelopes that are read and decided at the same time. */
  atOnceMax: number;
  /** Envelopes that wait for that; beyond them callers are told to come back. */
  waitingMax: number;
};

export const defaultAdmissionLimits: AdmissionLimits = { atOnceMax: 128, waitingMax: 2_000 };

/** Runs so many at a time and keeps the rest in order, so that a flood leaves room for everything else in the process. */
export type Admission = {
  /** Rejects with the problem `overloaded` when too many wait. */
  enter<T>(run: () => Promise<T>): Promise<T>;
  waiting(): number;
};

export function createAdmission({ atOnceMax, waitingMax }: AdmissionLimits, onFull: () => void): Admission {
  const queue: (() => void)[] = [];
  let next = 0;
  let running = 0;
  const waiting = () => queue.length - next;

  function leave(): void {
    running -= 1;
    const first = queue[next];
    if (first === undefined) return;
    next += 1;
    // Moving the whole queue for each that leaves would cost as much as it is long.
    if (next > 1_024 || next === queue.length) next -= queue.splice(0, next).length;
    running += 1;
    first();
  }

  async function go<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } finally {
      leave();
    }
  }

  return {
    waiting,
    enter(run) {
      if (running < atOnceMax) {
        running += 1;
        return go(run);
      }
      if (waiting() >= waitingMax) {
        onFull();
        return Promise.reject(new Problem("overloaded", { detail: "too many envelopes wait to be read" }));
      }
      return new Promise<void>((resolve) => queue.push(resolve)).then(() => go(run));
    },
  };
}
