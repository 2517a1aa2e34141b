import { createMemoryStore, type FloorStore, type MaybePromise } from "@plenary/server";

/** A store with delayed answers, like a database: an answer may be outdated when it arrives. */
export function slowStore(random: (below: number) => number): FloorStore {
  const store = createMemoryStore();
  const later = async <T>(answer: MaybePromise<T>): Promise<T> => {
    const value = await answer;
    for (let rounds = random(4); rounds > 0; rounds -= 1) await new Promise<void>((resolve) => setImmediate(resolve));
    return value;
  };
  return {
    ...store,
    log: {
      ...store.log,
      load: (id) => later(store.log.load(id)),
      entries: (id, range) => later(store.log.entries(id, range)),
      floorAt: (id, seq) => later(store.log.floorAt(id, seq)),
      list: (query) => later(store.log.list(query)),
    },
  };
}
