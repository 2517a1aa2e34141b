/** After several failures in a row the model is not asked for a while. */
export type Backoff = { failures: number; untilMs: number };

/** One for the endpoint, shared by all conversations, and one per conversation for the model's answers. */
export type BackoffState = { backoff: Backoff };

export const noBackoff: Backoff = { failures: 0, untilMs: 0 };

const failuresMax = 3;
const restMs = 5_000;
const restMsMax = 120_000;

export function mayAsk({ untilMs }: Backoff, nowMs: number): boolean {
  return nowMs >= untilMs;
}

/** Waits for `retryAfterMs` of the endpoint, up to a limit, if that is longer than our own backoff. */
export function afterFailure({ failures }: Backoff, nowMs: number, retryAfterMs = 0): Backoff {
  const count = failures + 1;
  const ownMs = count < failuresMax ? 0 : restMs * 2 ** Math.min(count - failuresMax, 10);
  return { failures: count, untilMs: nowMs + Math.min(Math.max(ownMs, retryAfterMs), restMsMax) };
}
