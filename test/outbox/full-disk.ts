import { createMemoryStore, type FloorStore } from "@plenary/server";

/** A store whose disk is full while the test says so. Its errors contain text that no caller may see. */
export function createFullDisk(inner: FloorStore = createMemoryStore()) {
  const disk = { isFull: false, refused: 0 };
  const write = <T>(work: () => Promise<T>): Promise<T> => {
    if (!disk.isFull) return work();
    disk.refused += 1;
    return Promise.reject(Object.assign(new Error("ENOSPC: /secret/place/floor.db"), { code: "ENOSPC" }));
  };
  const store: FloorStore = {
    ...inner,
    log: { ...inner.log, append: (...change) => write(() => inner.log.append(...change)) },
    outbox: { ...inner.outbox, settle: (...delivery) => write(() => inner.outbox.settle(...delivery)) },
    ready: () => write(() => inner.ready()),
  };
  return { disk, store };
}
