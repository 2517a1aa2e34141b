import { createMemoryStore, type FloorStore } from "@plenary/server";

/** A store with delayed answers, like a database: an answer may be outdated when it arrives. */
export function slowStore(random: (below: number) => number): FloorStore {
  const store = createMemoryStore();
  const later = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    for (let rounds = random(4); rounds > 0; rounds -= 1) await new Promise<void>((resolve) => setImmediate(resolve));
    return value;
  };
  return {
    ...store,
    load: (id) => later(store.load(id)),
    entries: (id, range) => later(store.entries(id, range)),
    floorAt: (id, seq) => later(store.floorAt(id, seq)),
    list: (query) => later(store.list(query)),
  };
}
