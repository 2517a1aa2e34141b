import { createHash } from "node:crypto";
import { Problem } from "../errors.ts";
import { assertConversation, assertSpeaker, type Principal } from "../ports/principal.ts";
import { isUri } from "../ports/speaker-uri.ts";
import { numberQuery } from "../routing/fields.ts";

/** One conversation after an entry, as events or in the brief view, or all conversations of a speaker after a cursor. */
export type ViewerRequest = { speaker: string } & (
  | { conversation: string; after: number; isBrief: boolean }
  | { cursor: Cursor }
);

const textMax = 2_048;

export function speakerOf(query: URLSearchParams, principal: Principal): string {
  const speaker = query.get("speaker") ?? "";
  if (speaker.length > textMax || !isUri(speaker)) {
    throw new Problem("bad-request", { detail: "`speaker` must be the URI of the viewer or agent" });
  }
  assertSpeaker(principal, speaker);
  return speaker;
}

/** The stream starts after `lastEventId` or `after`; without both, at the beginning of the log. */
export function viewerRequestOf(
  query: URLSearchParams,
  speaker: string,
  principal: Principal,
  lastEventId?: string,
): ViewerRequest {
  const [only] = principal.conversations ?? [];
  const conversation = query.get("conversation") ?? only ?? null;
  if (conversation !== null) assertConversation(principal, conversation);
  const after = lastEventId ?? query.get("after") ?? undefined;
  const isBrief = isBriefIn(query.get("view") ?? undefined);
  if (isBrief && conversation === null) {
    throw new Problem("bad-request", { detail: "`view=brief` needs the parameter `conversation`" });
  }
  if (conversation === null) return { speaker, cursor: parseCursor(after ?? "") };
  if (conversation === "" || conversation.length > textMax) {
    throw new Problem("bad-request", { detail: "`conversation` is the id of a conversation" });
  }
  const bounds = { min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 };
  return { speaker, conversation, after: numberQuery(after, "after", bounds), isBrief };
}

/** The brief view leaves out the events of received envelopes, which follow as entries of their own. */
export function isBriefIn(view: string | undefined): boolean {
  if (view === undefined || view === "brief") return view === "brief";
  throw new Problem("bad-request", { detail: "`view` must be `brief` or absent" });
}

/** The last entry that a reader has of each conversation, by a short hash of its id: a cursor must fit into a header. */
export type Cursor = Map<string, number>;

/** The key for relayed envelopes of other floors. */
export const relayedKey = "relayed.";

export function keyOfConversation(conversationId: string): string {
  return createHash("sha256").update(conversationId).digest("base64url").slice(0, 8);
}

export function writeCursor(cursor: Cursor): string {
  let text = "";
  for (const [key, seq] of cursor) text += `${text === "" ? "" : "~"}${key}${seq.toString(36)}`;
  return text;
}

const keyLength = 8;

export function parseCursor(text: string): Cursor {
  const cursor: Cursor = new Map();
  if (text === "") return cursor;
  for (const part of text.split("~")) {
    if (!/^[\w.-]{8}[\da-z]{1,10}$/u.test(part)) {
      throw new Problem("bad-request", { detail: "`after` is the `id` of an earlier event of this stream" });
    }
    cursor.set(part.slice(0, keyLength), Number.parseInt(part.slice(keyLength), 36));
  }
  return cursor;
}
