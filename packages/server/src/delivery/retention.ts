import type { Clock } from "../ports/clock.ts";
import type { CredentialStore } from "../ports/credentials.ts";
import type { Outbox } from "../ports/outbox.ts";

const hourMs = 3_600_000;
const deadLetterMs = 7 * 24 * hourMs;
const requestMs = 24 * hourMs;
/** How long the list still shows ended credentials. */
const credentialMs = 30 * 24 * hourMs;

/**
 * Deletes dead letters after a week, request records after a day and credentials 30 days after their end: at once, then
 * every hour. Returns a function that stops it.
 */
export function startSweeping({
  outbox,
  credentials,
  clock,
  onError,
}: {
  outbox: Pick<Outbox, "sweep">;
  credentials: Pick<CredentialStore, "sweepCredentials">;
  clock: Clock;
  onError: (error: unknown) => void;
}): () => void {
  const before = (ms: number) => new Date(clock.now() - ms).toISOString();
  let cancel = () => {};
  const sweep = () => {
    cancel = clock.at(clock.now() + hourMs, sweep);
    outbox.sweep({ deadLetters: before(deadLetterMs), requests: before(requestMs) }).catch(onError);
    credentials.sweepCredentials(before(credentialMs)).catch(onError);
  };
  sweep();
  return () => cancel();
}
