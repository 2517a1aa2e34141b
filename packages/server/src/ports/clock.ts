/** Time. Nothing else in this package asks the system what time it is or sleeps. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, not before `atMs`. Returns the function that cancels it. */
  at(atMs: number, ring: () => void): () => void;
}

export interface Ids {
  newId(): string;
  /** Between 0 and 1, for the jitter of retries. */
  random(): number;
}

// Many entries are written in the same millisecond; its text is made once.
let last = { ms: Number.NaN, text: "" };

/** The clock's time as RFC 3339. */
export function timeOf(clock: Clock, laterMs = 0): string {
  const ms = clock.now() + laterMs;
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}
