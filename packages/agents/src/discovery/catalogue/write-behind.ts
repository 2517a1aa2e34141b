import type { CatalogueStore } from "@plenary/sdk";

const writeAfterMs = 1_000;
const writtenAtOnceMax = 500;

/** Writes down what has changed, many at a time, a moment later: nobody waits for it. `textAt` is undefined of what is gone. */
export function createDiary(
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
    // A process that has nothing else to do ends; whoever wants all of it kept closes the catalogue.
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
    /** Something is known of it now that was not, or nothing any more. */
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
