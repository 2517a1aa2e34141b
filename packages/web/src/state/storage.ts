/** What this browser keeps for the page. Storage may be full, forbidden or written by somebody else: then there is nothing. */
export type KeyValueStore = {
  /** Undefined when there is nothing, or more than `charsMax`. */
  read(key: string, charsMax?: number): unknown;
  /** What is undefined, or longer than `charsMax`, is taken away. */
  put(key: string, value: unknown, charsMax?: number): void;
  remove(key: string): void;
};

const prefix = "plenary ";

/** Limits for values that other scripts, or a long text, could make large. */
export const settingCharsMax = 4_000;
export const unfinishedCharsMax = 100_000;

/** Of this tab, until it is closed. */
export const tabStorage = createStorage(() => sessionStorage);

/** Of this browser, for all its tabs. */
export const browserStorage = createStorage(() => localStorage);

/** Where a person's things are kept: the name of the thing, the person, and what it is about. */
export function storageKey(name: string, speakerUri: string, ...about: readonly (string | number)[]): string {
  return [name, speakerUri, ...about].join(" ");
}

/** Takes away everything that is kept for a person here. */
export function clearPersonalData(speakerUri: string): void {
  for (const storage of [() => sessionStorage, () => localStorage]) {
    ignoringErrors(() => {
      const all = storage();
      const keys = Array.from({ length: all.length }, (_, index) => all.key(index) ?? "");
      for (const key of keys) if (belongsTo(key, speakerUri)) all.removeItem(key);
    });
  }
}

/** No URI has a blank in it, so the second word is whole. */
function belongsTo(key: string, speakerUri: string): boolean {
  return key.startsWith(prefix) && key.slice(prefix.length).split(" ")[1] === speakerUri;
}

/** Another tab wrote it. */
export function onStorageChange(key: string, listener: () => void): () => void {
  const listen = (event: StorageEvent) => {
    if (event.key === prefix + key || event.key === null) listener();
  };
  addEventListener("storage", listen);
  return () => removeEventListener("storage", listen);
}

function createStorage(storage: () => Storage): KeyValueStore {
  return {
    read: (key, charsMax = Number.POSITIVE_INFINITY) =>
      ignoringErrors(() => {
        const text = storage().getItem(prefix + key);
        return text === null || text.length > charsMax ? undefined : JSON.parse(text);
      }),
    put: (key, value, charsMax = Number.POSITIVE_INFINITY) =>
      ignoringErrors(() => {
        const text: string | undefined = JSON.stringify(value);
        if (text === undefined || text.length > charsMax) storage().removeItem(prefix + key);
        else storage().setItem(prefix + key, text);
      }),
    remove: (key) => ignoringErrors(() => storage().removeItem(prefix + key)),
  };
}

/** A browser that keeps nothing still shows the page; it forgets on reload. */
function ignoringErrors<Found>(use: () => Found): Found | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
