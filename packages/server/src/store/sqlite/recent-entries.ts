import type { Entry } from "@plenary/floor";

export type RecentEntries = {
  /** Adds entries that are not durable yet: `after` does not return them before `settle`. */
  stage(conversationId: string, entries: readonly Entry[]): void;
  settle(): void;
  forget(conversationId: string): void;
  /** Undefined when the range begins before the cached entries. */
  after(conversationId: string, range: { after: number; limit: number }): Entry[] | undefined;
};

/** The cache has two generations of this size. Viewers read entries right after the write, without parsing them again. */
const generationMax = 2_048;

export function createRecentEntries(): RecentEntries {
  let young = new Map<string, Entry[]>();
  let old = new Map<string, Entry[]>();
  let size = 0;
  let staged: { id: string; entries: readonly Entry[] }[] = [];

  function add(id: string, entries: readonly Entry[]): void {
    const [first] = entries;
    if (first === undefined) return;
    const known = young.get(id);
    if (known?.at(-1)?.seq === first.seq - 1) known.push(...entries);
    else young.set(id, [...entries]);
    size += entries.length;
    if (size < generationMax) return;
    old = young;
    young = new Map();
    size = 0;
  }

  return {
    stage(id, entries) {
      staged.push({ id, entries });
    },
    settle() {
      const durable = staged;
      staged = [];
      for (const { id, entries } of durable) add(id, entries);
    },
    forget(id) {
      staged = staged.filter((one) => one.id !== id);
      young.delete(id);
      old.delete(id);
    },
    after(id, range) {
      const fresh = young.get(id) ?? [];
      const found = within(fresh, range);
      if (found !== undefined) return found;
      const earlier = within(old.get(id), range);
      // The young generation continues the old one, so fewer entries than `limit` means the end of the log.
      return earlier && [...earlier, ...fresh.slice(0, range.limit - earlier.length)];
    },
  };
}

function within(entries: readonly Entry[] | undefined, { after, limit }: { after: number; limit: number }) {
  const first = entries?.[0]?.seq;
  if (entries === undefined || first === undefined || after < first - 1) return undefined;
  return entries.slice(after - first + 1, after - first + 1 + limit);
}
