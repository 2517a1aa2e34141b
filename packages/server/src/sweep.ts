import type { Clock, FloorStore } from "./ports.ts";

const hourMs = 3_600_000;
const deadLetterMs = 7 * 24 * hourMs;
const requestMs = 24 * hourMs;

/** Forgets dead letters after a week and names of requests after a day: at once, then every hour. Returns the way to stop. */
export function sweepNowAndThen({
  store,
  clock,
  onError,
}: {
  store: FloorStore;
  clock: Clock;
  onError: (error: unknown) => void;
}): () => void {
  const before = (ms: number) => new Date(clock.now() - ms).toISOString();
  let cancel = () => {};
  const sweep = () => {
    cancel = clock.at(clock.now() + hourMs, sweep);
    store.sweep({ deadLetters: before(deadLetterMs), requests: before(requestMs) }).catch(onError);
  };
  sweep();
  return () => cancel();
}
