import type { WebhookLimits } from "../limits.ts";
import type { FailedSend } from "./send.ts";
import type { Lane, WebhookRecord } from "./webhook.ts";

type RetryContext = { nowMs: number; random: number; limits: WebhookLimits };

type Consequence = {
  /** The pause that the receiver asks for. */
  pauseMs: number;
  /** Why the webhook is disabled. */
  disabled?: string;
  /** The entry becomes a dead letter. */
  isDead: boolean;
};

const dayMs = 86_400_000;

/** Notes the failure in the lane, with the time of the next attempt: exponential backoff with jitter. */
export function noteFailure(
  record: WebhookRecord,
  lane: Lane,
  { failure, afterMs = 0, isFinal }: FailedSend,
  { nowMs, random, limits }: RetryContext,
): Consequence {
  const { sinceMs = nowMs, tries = 0 } = lane.failing ?? {};
  record.failingSinceMs ??= nowMs;
  const backoffMs = Math.min(limits.retryCapMs, limits.retryBaseMs * 2 ** tries) * (0.5 + random / 2);
  const pauseMs = Math.min(afterMs, limits.giveUpMs);
  lane.failing = { sinceMs, tries: tries + 1, retryAtMs: nowMs + Math.max(backoffMs, pauseMs), failure };
  const isDead = nowMs - sinceMs >= limits.giveUpMs;
  if (isFinal) return { pauseMs, isDead, disabled: failure };
  if (nowMs - record.failingSinceMs < limits.disableMs) return { pauseMs, isDead };
  const days = Math.round(limits.disableMs / dayMs);
  return { pauseMs, isDead, disabled: `every delivery failed for ${days} days: ${failure}` };
}
