import type { GroupCommit } from "./group-commit.ts";
import { rootOf } from "./hash-chain.ts";
import type { SqliteReader } from "./reader.ts";
import type { CachedConversation, Writer } from "./writer.ts";

export type ConversationCache = ReturnType<typeof createConversationCache>;

type CacheOptions = { cachedMax: number; newest: SqliteReader; groups: GroupCommit; writer: Writer };

/** A shorter tail is cheaper to fold again than to snapshot. */
const tailMax = 32;

/** Loaded conversations. Beyond `cachedMax`, the one that was loaded or written longest ago is evicted. */
export function createConversationCache({ cachedMax, newest, groups, writer }: CacheOptions) {
  /** Ordered by last load or write. */
  const held = new Map<string, CachedConversation>();
  const read = (id: string): CachedConversation | undefined => {
    const no = newest.noOf(id);
    const found = no === undefined ? undefined : newest.floor(no, id);
    if (no === undefined || found === undefined) return undefined;
    return { no, ...found, ...newest.fresh(no), chain: newest.chain(no) ?? rootOf(id), viewers: new Set() };
  };
  /** Writes a snapshot first if the tail is long. The log is complete without it. */
  const evictOldest = () => {
    for (const [id, oldest] of held) {
      held.delete(id);
      if (oldest.floor.seq - oldest.snapshotSeq > tailMax) groups.join(() => writer.snapshot(oldest)).catch(() => {});
      return;
    }
  };
  const set = (id: string, conversation: CachedConversation): void => {
    held.delete(id);
    held.set(id, conversation);
    if (held.size > cachedMax) evictOldest();
  };
  return {
    /** Reads the conversation from the file when it is not loaded. */
    get(id: string): CachedConversation | undefined {
      const known = held.get(id);
      if (known !== undefined) return known;
      const found = read(id);
      if (found !== undefined) set(id, found);
      return found;
    },
    set,
    delete: (id: string) => held.delete(id),
    size: () => held.size,
  };
}
