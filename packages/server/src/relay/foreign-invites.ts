/** Conversations of other floors to which people of this floor were invited, while a client could show them. */
export type ForeignInvites = {
  has(speaker: string, conversationId: string): boolean;
  add(speaker: string, conversationId: string): void;
  remove(speaker: string, conversationId: string): void;
};

/** In memory; limited per person and in the number of people, newest kept. */
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

/** Deletes the oldest above `max`. */
function newest<Kept extends Set<string> | Map<string, unknown>>(kept: Kept, max: number): Kept {
  for (const one of kept.keys()) {
    if (kept.size <= max) break;
    kept.delete(one);
  }
  return kept;
}
