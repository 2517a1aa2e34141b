const prefix = "plenary ";

/** Limits for values that other scripts, or a long text, could make large. */
export const settingCharsMax = 4_000;
export const unfinishedCharsMax = 100_000;

/** Storage of this tab, until it closes. */
export const tabStorage = createStorage(() => sessionStorage);

/** Storage of this browser, for all tabs. */
export const browserStorage = createStorage(() => localStorage);

/** Storage key: the kind of data, the person, and what it belongs to. */
export function storageKey(name: string, speakerUri: string, ...about: readonly (string | number)[]): string {
  return [name, speakerUri, ...about].join(" ");
}

/** Removes all data of a person. */
export function clearPersonalData(speakerUri: string): void {
  for (const storage of [() => sessionStorage, () => localStorage]) {
    ignoringErrors(() => {
      const all = storage();
      const keys = Array.from({ length: all.length }, (_, index) => all.key(index) ?? "");
      for (const key of keys) if (belongsTo(key, speakerUri)) all.removeItem(key);
    });
  }
}

/** URIs contain no spaces, so the second word is the speakerUri. */
function belongsTo(key: string, speakerUri: string): boolean {
  return key.startsWith(prefix) && key.slice(prefix.length).split(" ")[1] === speakerUri;
}

/** Calls the listener when another tab changes the key. */
export function onStorageChange(key: string, listener: () => void): () => void {
  const listen = (event: StorageEvent) => {
    if (event.key === prefix + key || event.key === null) listener();
  };
  addEventListener("storage", listen);
  return () => removeEventListener("storage", listen);
}

/** Browser storage. Errors are ignored: it may be full, forbidden, or hold invalid JSON. */
function createStorage(storage: () => Storage) {
  return {
    /** Undefined when the key is missing or the value is longer than `charsMax`. */
    read: (key: string, charsMax = Number.POSITIVE_INFINITY): unknown =>
      ignoringErrors(() => {
        const text = storage().getItem(prefix + key);
        return text === null || text.length > charsMax ? undefined : JSON.parse(text);
      }),
    /** Removes the key when the value is undefined or longer than `charsMax`. */
    put: (key: string, value: unknown, charsMax = Number.POSITIVE_INFINITY) =>
      ignoringErrors(() => {
        const text: string | undefined = JSON.stringify(value);
        if (text === undefined || text.length > charsMax) storage().removeItem(prefix + key);
        else storage().setItem(prefix + key, text);
      }),
    remove: (key: string) => ignoringErrors(() => storage().removeItem(prefix + key)),
  };
}

/** Without storage the page works but forgets on reload. */
function ignoringErrors<Found>(use: () => Found): Found | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
