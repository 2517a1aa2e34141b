import type { Entry } from "@plenary/floor";
import type { DialogEvent } from "@plenary/protocol";
import type { RequestKey, UtteranceName } from "./conversation-log.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** The hash of a request with an idempotency key, and its range of entries in the log. */
export type RequestRecord = { conversationId: string; hash: string; first: number; last: number };

/** A speaker and its claimed address. */
export type Binding = { speakerUri: string; serviceUrl: string };

/** Indexes over the conversations. `ConversationLog.append` writes them. */
export interface Lookups {
  /** The known hashes of each of these utterances. */
  seen(conversationId: string, utterances: readonly UtteranceName[]): MaybePromise<readonly (readonly string[])[]>;
  /**
   * Whispers that have the id, or the speaker and text, of one of these dialog events, and the public utterances that match
   * in the same way (D16).
   */
  whispersLike(conversationId: string, dialogEvents: readonly DialogEvent[]): Promise<readonly Entry[]>;
  /** Whether the speaker was ever in the audience of an entry of this conversation. */
  hasSeen(conversationId: string, speaker: string): Promise<boolean>;
  /**
   * The address that each of these speakers first joined from, in any conversation, or the one that the operator set.
   * speakerUris are compared without case and trailing slashes.
   */
  boundTo(claims: readonly Binding[]): Promise<readonly (string | undefined)[]>;
  request(key: RequestKey): MaybePromise<RequestRecord | undefined>;
}
