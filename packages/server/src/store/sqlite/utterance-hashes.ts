import { loggedHash } from "../../conversation/dedupe.ts";
import type { UtteranceName } from "../../ports/conversation-log.ts";
import { type CachedConversation, mayHave } from "./conversation-cache.ts";
import type { Db } from "./database.ts";
import type { SqliteReader } from "./reader.ts";
import { type RowBacklog, rowNamedBy } from "./row-backlog.ts";

type Sources = { db: Db; newest: SqliteReader; backlog: RowBacklog };

/**
 * Finds the hashes of an utterance's content by its name. Almost always the name is new, which a filter in memory says. The
 * content is hashed only when a name is used again.
 */
export function createHashLookup({ db, newest, backlog }: Sources) {
  const hashes = db
    .prepare<[number, string, string], string>(
      "SELECT hash FROM utterance WHERE conversation = ? AND id = ? AND sender = ?",
    )
    .pluck();
  return (conversation: CachedConversation, name: UtteranceName): readonly string[] => {
    if (!mayHave(conversation, name)) return none;
    const { stored, queued } = conversation;
    const isSame = (one: UtteranceName) => one.dialogEventId === name.dialogEventId && one.sender === name.sender;
    const found: string[] = [];
    for (const { dedupe, entries } of queued) {
      for (const one of dedupe) if (isSame(one)) found.push(one.hash ?? loggedHash(entries, name));
    }
    if (stored === undefined) return found;
    const { no } = stored;
    for (const { names, first } of backlog.rowsNaming(no, name.dialogEventId)) {
      for (const one of names) if (isSame(one)) found.push(one.hash ?? loggedHash(newest.row(no, first), name));
    }
    for (const hash of hashes.all(no, name.dialogEventId, name.sender) as string[]) {
      const first = rowNamedBy(hash);
      found.push(first === undefined ? hash : loggedHash(newest.row(no, first), name));
    }
    return found;
  };
}

const none: readonly never[] = [];
