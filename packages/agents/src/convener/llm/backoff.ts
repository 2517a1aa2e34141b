/** How far a model is still relied on: after failures in a row it is left alone for a while. */
export type Patience = { failures: number; untilMs: number };

export const patient: Patience = { failures: 0, untilMs: 0 };

const failuresMax = 3;
const restMs = 5_000;
const restMsMax = 120_000;

export function mayAsk({ untilMs }: Patience, nowMs: number): boolean {
  return nowMs >= untilMs;
}

/** `retryAfterMs`: as the endpoint wishes, who knows better, but never for ever. */
export function afterFailure({ failures }: Patience, nowMs: number, retryAfterMs = 0): Patience {
  const count = failures + 1;
  const ownMs = count < failuresMax ? 0 : restMs * 2 ** Math.min(count - failuresMax, 10);
  return { failures: count, untilMs: nowMs + Math.min(Math.max(ownMs, retryAfterMs), restMsMax) };
}
