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
