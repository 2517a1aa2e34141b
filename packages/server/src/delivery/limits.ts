/** How long and how much a delivery may take (D23). */
export type DeliveryLimits = {
  connectMs: number;
  /** An invite that does not get through is repeated for so long. */
  inviteRetryMs: number;
  /** Any other delivery that was refused is repeated for so long. */
  retryMs: number;
  retryBaseMs: number;
  retryCapMs: number;
  /** To the first byte of the answer, and between any two. A conversation may have its own (`agentTimeoutMs`). */
  silenceMs: number;
  /** In all; never less than the time to the first byte. */
  inviteAnswerMs: number;
  answerMs: number;
  /** In all, of an answer that streams and sends something all the time: somebody watches it, and may stop it. */
  streamMs: number;
  /** What was queued when its target was stopped still goes out, but hardly anybody waits for the answer (D18). */
  stoppedAnswerMs: number;
  manifestAnswerMs: number;
  /** An answer that was promised for later (status 202) comes within this time. */
  laterAnswerMs: number;
  answerBytesMax: number;
  /** Deliveries that may wait for one target in one conversation. */
  queueMax: number;
  /** Requests that are out at the same time, in all and to one target. What is more waits. */
  inFlightMax: number;
  inFlightPerTargetMax: number;
};

export const defaultDeliveryLimits: DeliveryLimits = {
  connectMs: 3_000,
  inviteRetryMs: 10_000,
  retryMs: 60_000,
  retryBaseMs: 500,
  retryCapMs: 30_000,
  silenceMs: 120_000,
  inviteAnswerMs: 120_000,
  answerMs: 300_000,
  streamMs: 3_600_000,
  stoppedAnswerMs: 2_000,
  manifestAnswerMs: 10_000,
  laterAnswerMs: 300_000,
  answerBytesMax: 1_048_576,
  queueMax: 256,
  inFlightMax: 256,
  inFlightPerTargetMax: 64,
};

/** How long one answer is waited for: between two signs of it, in all, and in all where it streams. */
export function waitFor(
  { isInvite, agentTimeoutMs }: { isInvite: boolean; agentTimeoutMs?: number },
  { silenceMs, inviteAnswerMs, answerMs, streamMs }: DeliveryLimits,
): { silenceMs: number; answerMs: number; streamMs: number } {
  const patience = agentTimeoutMs ?? silenceMs;
  const wholeMs = Math.max(patience, isInvite ? inviteAnswerMs : answerMs);
  return { silenceMs: patience, answerMs: wholeMs, streamMs: isInvite ? wholeMs : Math.max(wholeMs, streamMs) };
}
