import type { ConversationState } from "../state/types.ts";

type Unfinished = Pick<ConversationState, "drafts" | "awaited">;

/** "thinking" until the first words of the answer arrive. */
export function activityOf({ drafts, awaited }: Unfinished, speakerUri: string): "answering" | "thinking" | undefined {
  const own = drafts.filter((draft) => draft.speakerUri === speakerUri);
  if (own.some(({ text }) => text !== "")) return "answering";
  return own.length > 0 || awaited.includes(speakerUri) ? "thinking" : undefined;
}
