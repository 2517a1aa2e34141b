/** What this browser keeps for the page. Storage may be full, forbidden or written by somebody else: then there is nothing. */
export type Shelf = {
  /** Undefined when there is nothing, or more than `charsMax`. */
  read(key: string, charsMax?: number): unknown;
  /** What is undefined, or longer than `charsMax`, is taken away. */
  put(key: string, value: unknown, charsMax?: number): void;
  remove(key: string): void;
};

const prefix = "plenary ";

/** Of this tab, until it is closed. */
export const tabShelf = createShelf(() => sessionStorage);

/** Of this browser, for all its tabs. */
export const browserShelf = createShelf(() => localStorage);

/** Where a person's things are kept: the name of the thing, the person, and what it is about. */
export function keyOf(name: string, speakerUri: string, ...about: readonly (string | number)[]): string {
  return [name, speakerUri, ...about].join(" ");
}

/** Takes away everything that is kept for a person here. */
export function forgetPerson(speakerUri: string): void {
  for (const storage of [() => sessionStorage, () => localStorage]) {
    forgivingly(() => {
      const all = storage();
      const keys = Array.from({ length: all.length }, (_, index) => all.key(index) ?? "");
      for (const key of keys) if (isOf(key, speakerUri)) all.removeItem(key);
    });
  }
}

/** No URI has a blank in it, so the second word is whole. */
function isOf(key: string, speakerUri: string): boolean {
  return key.startsWith(prefix) && key.slice(prefix.length).split(" ")[1] === speakerUri;
}

/** Another tab wrote it. */
export function onKept(key: string, listener: () => void): () => void {
  const listen = (event: StorageEvent) => {
    if (event.key === prefix + key || event.key === null) listener();
  };
  addEventListener("storage", listen);
  return () => removeEventListener("storage", listen);
}

function createShelf(storage: () => Storage): Shelf {
  return {
    read: (key, charsMax = Number.POSITIVE_INFINITY) =>
      forgivingly(() => {
        const text = storage().getItem(prefix + key);
        return text === null || text.length > charsMax ? undefined : JSON.parse(text);
      }),
    put: (key, value, charsMax = Number.POSITIVE_INFINITY) =>
      forgivingly(() => {
        const text: string | undefined = JSON.stringify(value);
        if (text === undefined || text.length > charsMax) storage().removeItem(prefix + key);
        else storage().setItem(prefix + key, text);
      }),
    remove: (key) => forgivingly(() => storage().removeItem(prefix + key)),
  };
}

/** A browser that keeps nothing still shows the page; it forgets on reload. */
function forgivingly<Found>(use: () => Found): Found | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
