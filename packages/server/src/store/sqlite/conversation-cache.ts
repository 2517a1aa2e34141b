import type { Floor } from "@plenary/floor";
import type { Change, UtteranceName } from "../../ports/conversation-log.ts";
import type { GroupCommit } from "./group-commit.ts";
import { rootOf } from "./hash-chain.ts";
import { IdFilter } from "./id-filter.ts";
import type { SqliteReader } from "./reader.ts";
import type { RowBacklog } from "./row-backlog.ts";
import type { StoredHead, Writer } from "./writer.ts";

/** A conversation in memory. */
export type CachedConversation = {
  /** With the changes that wait for their commit. */
  floor: Floor;
  /** Undefined until its first write. */
  stored: StoredHead | undefined;
  /** The names of all its utterances; undefined when there are too many. */
  ids: IdFilter | undefined;
  /** Changes that wait for their commit. */
  queued: Change[];
};

export type ConversationCache = ReturnType<typeof createConversationCache>;

type CacheOptions = {
  cachedMax: number;
  newest: SqliteReader;
  backlog: RowBacklog;
  groups: GroupCommit;
  writer: Writer;
};

/** A shorter tail is cheaper to fold again than to snapshot. */
const tailMax = 32;
/** Names that are read into a filter when a conversation is loaded. */
const idsReadMax = 4_096;
const idsMax = 65_536;

/** Loaded conversations. Beyond `cachedMax`, the one that was loaded or written longest ago is evicted. */
export function createConversationCache({ cachedMax, newest, backlog, groups, writer }: CacheOptions) {
  /** Ordered by last load or write, once it is half full: before that, moving an entry to the end is wasted. */
  const held = new Map<string, CachedConversation>();
  /** The heads before the writes of the current group. */
  let undo: { conversation: CachedConversation; before: StoredHead | undefined }[] = [];

  /** Writes a snapshot first if the tail is long. The log is complete without it. */
  function evictOldest(): void {
    for (const [id, oldest] of held) {
      if (oldest.queued.length > 0) groups.flush();
      // Already deleted when its changes were lost, and its floor is ahead of the log.
      if (!held.delete(id)) return;
      const { floor, stored } = oldest;
      if (stored !== undefined && floor.seq - stored.snapshotSeq > tailMax) {
        groups.join(() => writer.snapshot(stored, floor)).catch(() => {});
      }
      return;
    }
  }

  function set(id: string, conversation: CachedConversation): void {
    if (held.size * 2 > cachedMax) held.delete(id);
    held.set(id, conversation);
    if (held.size > cachedMax) evictOldest();
  }

  return {
    /** Reads the conversation from the file when it is not loaded. */
    get(id: string): CachedConversation | undefined {
      const known = held.get(id);
      if (known !== undefined) return known;
      const found = readConversation({ newest, backlog }, id);
      if (found !== undefined) set(id, found);
      return found;
    },
    /** The change is visible in memory at once; `written` follows, or the conversation is deleted. */
    stage(id: string, known: CachedConversation | undefined, change: Change): CachedConversation {
      const conversation = known ?? { floor: change.floor, stored: undefined, ids: new IdFilter(), queued: [] };
      conversation.floor = change.floor;
      conversation.queued.push(change);
      for (const { dialogEventId } of change.dedupe) conversation.ids?.add(dialogEventId);
      if ((conversation.ids?.size ?? 0) > idsMax) conversation.ids = undefined;
      set(id, conversation);
      return conversation;
    },
    written(conversation: CachedConversation, stored: StoredHead): void {
      undo.push({ conversation, before: conversation.stored });
      conversation.stored = stored;
    },
    /** The group is durable. */
    settle(): void {
      for (const { conversation } of undo) conversation.queued.shift();
      undo = [];
    },
    rollBack(): void {
      for (const { conversation, before } of undo.toReversed()) conversation.stored = before;
      undo = [];
    },
    delete: (id: string) => held.delete(id),
    size: () => held.size,
  };
}

function readConversation(
  sources: Pick<CacheOptions, "newest" | "backlog">,
  id: string,
): CachedConversation | undefined {
  const { newest } = sources;
  const no = newest.noOf(id);
  const found = no === undefined ? undefined : newest.floor(no, id);
  if (no === undefined || found === undefined) return undefined;
  const stored = {
    no,
    chain: newest.chain(no) ?? rootOf(id),
    snapshotSeq: found.snapshotSeq,
    viewers: new Set<string>(),
  };
  return { floor: found.floor, stored, ids: idsOf(sources, no), queued: [] };
}

function idsOf({ newest, backlog }: Pick<CacheOptions, "newest" | "backlog">, no: number): IdFilter | undefined {
  const ids = newest.utteranceIds(no, idsReadMax + 1);
  if (ids.length > idsReadMax) return undefined;
  const filter = new IdFilter();
  for (const id of ids) filter.add(id);
  for (const { names } of backlog.rowsOf(no)) for (const { dialogEventId } of names) filter.add(dialogEventId);
  return filter;
}

/** Whether this is one of the utterances that the conversation has, for certain or perhaps. */
export function mayHave({ ids }: CachedConversation, { dialogEventId }: UtteranceName): boolean {
  return ids === undefined || ids.mayContain(dialogEventId);
}
