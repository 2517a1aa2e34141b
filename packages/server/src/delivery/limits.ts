/** Limits of deliveries (D23). */
export type DeliveryLimits = {
  connectMs: number;
  /** How long a failed invite is retried. */
  inviteRetryMs: number;
  /** How long any other delivery is retried. */
  retryMs: number;
  retryBaseMs: number;
  retryCapMs: number;
  /** To the first byte of the answer, and between any two. A conversation may have its own (`agentTimeoutMs`). */
  silenceMs: number;
  /** Total time of an answer; never less than the time to the first byte. */
  inviteAnswerMs: number;
  answerMs: number;
  /** Total time of a streamed answer, longer because people can watch it and stop it. */
  streamMs: number;
  /** How long a stopped delivery waits for its answer after it was sent (D18). */
  stoppedAnswerMs: number;
  manifestAnswerMs: number;
  /** How long an answer promised for later (status 202) is awaited. */
  laterAnswerMs: number;
  answerBytesMax: number;
  /** Queued deliveries per target and conversation. */
  queueMax: number;
  /** Concurrent requests, in total and per target. Further requests wait. */
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

/** The timeouts of one answer: between two chunks, in total, and in total for a stream. */
export function waitFor(
  { isInvite, agentTimeoutMs }: { isInvite: boolean; agentTimeoutMs?: number },
  { silenceMs, inviteAnswerMs, answerMs, streamMs }: DeliveryLimits,
): { silenceMs: number; answerMs: number; streamMs: number } {
  const chunkMs = agentTimeoutMs ?? silenceMs;
  const totalMs = Math.max(chunkMs, isInvite ? inviteAnswerMs : answerMs);
  return { silenceMs: chunkMs, answerMs: totalMs, streamMs: isInvite ? totalMs : Math.max(totalMs, streamMs) };
}
