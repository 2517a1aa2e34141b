import type { CatalogueStore } from "@plenary/sdk";

const writeAfterMs = 1_000;
const writtenAtOnceMax = 500;

/** Saves changed entries in batches after a delay, so that no caller waits. `textAt` is undefined for a removed entry. */
export function createWriteBehind(
  store: CatalogueStore | undefined,
  onError: (error: unknown) => void,
  textAt: (key: string) => string | undefined,
) {
  const changed = new Set<string>();
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<boolean> = Promise.resolve(true);
  const soon = () => {
    if (isClosed || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      writing = write();
    }, writeAfterMs);
    // The timer does not keep the process alive; `close` saves the rest.
    timer.unref();
  };
  const write = async (): Promise<boolean> => {
    const keys = [...changed].slice(0, writtenAtOnceMax);
    for (const key of keys) changed.delete(key);
    const texts = keys.map((key) => ({ key, known: textAt(key) }));
    const kept = texts.flatMap(({ key, known }) => (known === undefined ? [] : { key, known }));
    const forgotten = texts.flatMap(({ key, known }) => (known === undefined ? key : []));
    try {
      await store?.keepManifests({ kept, forgotten });
    } catch (error) {
      for (const key of keys) changed.add(key);
      onError(error);
      soon();
      return false;
    }
    if (changed.size > 0) soon();
    return true;
  };
  return {
    /** The entry was changed or removed. */
    note(key: string) {
      if (store === undefined) return;
      changed.add(key);
      soon();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await writing;
      while (changed.size > 0 && (await write()));
    },
  };
}
