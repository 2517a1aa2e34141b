export type WriteBehindOptions = {
  /** The text to store for a key; undefined if the record was removed. */
  textAt: (key: string) => string | undefined;
  /** Stores a batch, all of it or nothing. A batch that fails is written again later. */
  write: (change: { kept: { key: string; known: string }[]; forgotten: string[] }) => Promise<void>;
  /** The most records in one batch. */
  batchMax: number;
  /** Calls back once, after the delay of a write. Returns the function that cancels it. */
  schedule: (callback: () => void) => () => void;
  onError: (error: unknown) => void;
};

export type WriteBehind = {
  /** Marks a record as changed or removed. */
  note(key: string): void;
  /** Writes what is left, up to the first error. Changes after it are lost. */
  close(): Promise<void>;
};

/** Writes changed records in batches after a delay, so that no caller waits. */
export function createWriteBehind({ textAt, write, batchMax, schedule, onError }: WriteBehindOptions): WriteBehind {
  const changed = new Set<string>();
  let isClosed = false;
  let cancel: (() => void) | undefined;
  let writing: Promise<boolean> = Promise.resolve(true);
  const soon = () => {
    if (isClosed) return;
    cancel ??= schedule(() => {
      cancel = undefined;
      writing = writeBatch();
    });
  };
  const writeBatch = async (): Promise<boolean> => {
    const keys = [...changed].slice(0, batchMax);
    for (const key of keys) changed.delete(key);
    const texts = keys.map((key) => ({ key, known: textAt(key) }));
    const kept = texts.flatMap(({ key, known }) => (known === undefined ? [] : { key, known }));
    const forgotten = texts.flatMap(({ key, known }) => (known === undefined ? key : []));
    try {
      await write({ kept, forgotten });
    } catch (error) {
      for (const key of keys) changed.add(key);
      soon();
      onError(error);
      return false;
    }
    if (changed.size > 0) soon();
    return true;
  };
  return {
    note(key) {
      changed.add(key);
      soon();
    },
    async close() {
      isClosed = true;
      cancel?.();
      await writing;
      while (changed.size > 0 && (await writeBatch()));
    },
  };
}
