/** The conversations of other floors that people here were invited to while a client could show them. */
export type ForeignInvites = {
  has(speaker: string, conversationId: string): boolean;
  add(speaker: string, conversationId: string): void;
  remove(speaker: string, conversationId: string): void;
};

/** Kept in memory, the newest of each person, for as many people as there may be mailboxes. */
export function createForeignInvites({ people, ofEach }: { people: number; ofEach: number }): ForeignInvites {
  const known = new Map<string, Set<string>>();
  return {
    has: (speaker, conversationId) => known.get(speaker)?.has(conversationId) === true,
    add(speaker, conversationId) {
      const mine = known.get(speaker) ?? new Set();
      known.delete(speaker);
      known.set(speaker, newest(mine.add(conversationId), ofEach));
      newest(known, people);
    },
    remove(speaker, conversationId) {
      known.get(speaker)?.delete(conversationId);
    },
  };
}

/** Without the oldest beyond so many. */
function newest<Kept extends Set<string> | Map<string, unknown>>(kept: Kept, max: number): Kept {
  for (const one of kept.keys()) {
    if (kept.size <= max) break;
    kept.delete(one);
  }
  return kept;
}
