import type { FloorEvent } from "@plenary/protocol";

/** One event of a conversation, as the agent was entitled to hear it. */
export type Remembered = {
  /** RFC 3339. */
  at: string;
  /** Its speakerUri. */
  sender: string;
  /** What the sender is called, where that is known. */
  name?: string;
  event: FloorEvent;
  /** Who else is known to be entitled to it, by speakerUri. Nobody can tell where it is absent. */
  audience?: readonly string[];
};

/**
 * What an agent was entitled to hear in a conversation, oldest first, from whoever keeps the log. It outlives a restart,
 * and forgets what was erased; what the agent keeps itself does neither. A person who was seated without an invite is
 * remembered as one who accepted.
 */
export type Recall = (conversationId: string, speakerUri: string) => Promise<readonly Remembered[]>;
