import type { DeliveryLimits } from "../limits.ts";

/** The timeouts of one answer: between two chunks, in total, and in total for a stream. */
export function waitFor(
  { isInvite, agentTimeoutMs }: { isInvite: boolean; agentTimeoutMs?: number },
  { silenceMs, inviteAnswerMs, answerMs, streamMs }: DeliveryLimits,
): { silenceMs: number; answerMs: number; streamMs: number } {
  const patience = agentTimeoutMs ?? silenceMs;
  const wholeMs = Math.max(patience, isInvite ? inviteAnswerMs : answerMs);
  return { silenceMs: patience, answerMs: wholeMs, streamMs: isInvite ? wholeMs : Math.max(wholeMs, streamMs) };
}
