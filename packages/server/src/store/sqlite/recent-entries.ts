import type { Entry } from "@plenary/floor";

export type RecentEntries = {
  /** Written and not durable yet: shown to nobody before `settle`. */
  stage(conversationId: string, entries: readonly Entry[]): void;
  settle(): void;
  forget(conversationId: string): void;
  /** Undefined when the range begins before what is remembered. */
  after(conversationId: string, range: { after: number; limit: number }): Entry[] | undefined;
};

/** Two generations of this many entries each: what viewers read right after it was written needs no second parse. */
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
      // Recent entries continue where the stored ones end: fewer than asked for means that there are no more.
      return earlier && [...earlier, ...fresh.slice(0, range.limit - earlier.length)];
    },
  };
}

function within(entries: readonly Entry[] | undefined, { after, limit }: { after: number; limit: number }) {
  const first = entries?.[0]?.seq;
  if (entries === undefined || first === undefined || after < first - 1) return undefined;
  return entries.slice(after - first + 1, after - first + 1 + limit);
}
