/** What somebody thought of a turn, which is named by its trace. */
export type Feedback = { traceId: string; by: string; reaction?: string; comment?: string; at: string };

/** Beside the conversations and no part of their logs: what somebody thinks of a turn changes nothing in it. */
export interface FeedbackStore {
  /**
   * One for each trace and speaker: what is not given stays as it was, an empty text takes it back. Of more than
   * `feedbackMax` in all, or `feedbackPerSpeakerMax` of one speaker, the oldest go.
   */
  keepFeedback(feedback: Feedback): Promise<void>;
  /** On these traces, the oldest first. */
  feedback(traceIds: readonly string[]): Promise<readonly Feedback[]>;
}

export const feedbackMax = 100_000;
export const feedbackPerSpeakerMax = 1_000;

/** What is left when it was said again; undefined: nothing. */
export function mergedFeedback(before: Feedback | undefined, given: Feedback): Feedback | undefined {
  const { traceId, by, at } = given;
  const reaction = given.reaction ?? before?.reaction ?? "";
  const comment = given.comment ?? before?.comment ?? "";
  if (reaction === "" && comment === "") return undefined;
  return { traceId, by, ...(reaction !== "" && { reaction }), ...(comment !== "" && { comment }), at };
}
