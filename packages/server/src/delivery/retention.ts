import type { Clock } from "../ports/clock.ts";
import type { CredentialStore } from "../ports/credentials.ts";
import type { FloorStore } from "../ports/store.ts";

const hourMs = 3_600_000;
const deadLetterMs = 7 * 24 * hourMs;
const requestMs = 24 * hourMs;
/** Whoever lists them can see for so long that they ended. */
const credentialMs = 30 * 24 * hourMs;

/**
 * Forgets dead letters after a week, names of requests after a day and credentials a month after their end: at once, then
 * every hour. Returns the way to stop.
 */
export function sweepNowAndThen({
  store,
  credentials,
  clock,
  onError,
}: {
  store: FloorStore;
  credentials: Pick<CredentialStore, "sweepCredentials">;
  clock: Clock;
  onError: (error: unknown) => void;
}): () => void {
  const before = (ms: number) => new Date(clock.now() - ms).toISOString();
  let cancel = () => {};
  const sweep = () => {
    cancel = clock.at(clock.now() + hourMs, sweep);
    store.sweep({ deadLetters: before(deadLetterMs), requests: before(requestMs) }).catch(onError);
    credentials.sweepCredentials(before(credentialMs)).catch(onError);
  };
  sweep();
  return () => cancel();
}
