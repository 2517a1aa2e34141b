/** A person's feedback on a turn, identified by its trace. */
export type Feedback = { traceId: string; by: string; reaction?: string; comment?: string; at: string };

/** Not part of the logs of conversations. */
export interface FeedbackStore {
  /**
   * One per trace and speaker: an absent field keeps its value, an empty text deletes it. Above `feedbackMax` in total, or
   * `feedbackPerSpeakerMax` per speaker, the oldest are deleted.
   */
  keepFeedback(feedback: Feedback): Promise<void>;
  /** Feedback on these traces, oldest first. */
  feedback(traceIds: readonly string[]): Promise<readonly Feedback[]>;
}

export const feedbackMax = 100_000;
export const feedbackPerSpeakerMax = 1_000;

/** The earlier feedback updated with the new; undefined when nothing is left. */
export function mergedFeedback(before: Feedback | undefined, given: Feedback): Feedback | undefined {
  const { traceId, by, at } = given;
  const reaction = given.reaction ?? before?.reaction ?? "";
  const comment = given.comment ?? before?.comment ?? "";
  if (reaction === "" && comment === "") return undefined;
  return { traceId, by, ...(reaction !== "" && { reaction }), ...(comment !== "" && { comment }), at };
}
