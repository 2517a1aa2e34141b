import { randomBytes, randomUUID } from "node:crypto";

/** The only source of time and timers in this package. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, not before `atMs`. Returns the function that cancels it. */
  at(atMs: number, callback: () => void): () => void;
}

export interface Ids {
  newId(): string;
  /** Between 0 and 1, for the jitter of retries. */
  random(): number;
}

// Cached: many entries have the same millisecond.
let last = { ms: Number.NaN, text: "" };

/** The clock's time as RFC 3339. */
export function timeOf(clock: Clock, laterMs = 0): string {
  const ms = clock.now() + laterMs;
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

// Maximum of setTimeout; a longer wait is split.
const waitMaxMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(atMs, callback) {
    let timer: NodeJS.Timeout;
    const wait = () => {
      const leftMs = atMs - Date.now();
      timer = setTimeout(() => (leftMs > waitMaxMs ? wait() : callback()), Math.min(Math.max(0, leftMs), waitMaxMs));
    };
    wait();
    return () => clearTimeout(timer);
  },
};

export const systemIds: Ids = {
  newId: () => randomUUID(),
  random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Resolves when the work has ended, well or not, or when its time is up. */
export function atMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.at(clock.now() + ms, resolve);
    const end = () => {
      cancel();
      resolve();
    };
    work.then(end, end);
  });
}
