import { createHash } from "node:crypto";
import { invalidParameter } from "../routing/fields.ts";

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
      throw invalidParameter("after", "the `id` of an earlier event of this stream");
    }
    cursor.set(part.slice(0, keyLength), Number.parseInt(part.slice(keyLength), 36));
  }
  return cursor;
}
