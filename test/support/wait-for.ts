/** For `expect.poll` and `vi.waitFor`: an upper limit that holds on a busy machine, never a measure of speed. */
export const patience = { timeout: 60_000, interval: 10 };

/** Polls until `look` finds something, and returns it. Throws with `what` after the limit. */
export async function waitFor<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what: string | (() => string),
  withinMs = patience.timeout,
): Promise<T> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > endMs) throw new Error(`waited ${withinMs} ms for ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, patience.interval));
  }
}

/** A promise that the test resolves when it wants to. */
export function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A list that grows, and a way to wait until it holds something. */
export function createCollection<T>() {
  const items: T[] = [];
  const checks = new Set<() => void>();
  return {
    items,
    add(item: T) {
      items.push(item);
      for (const check of [...checks]) check();
    },
    /** Resolves as soon as `isEnough` holds. Rejects with the newest items after the limit. */
    until(isEnough: (items: readonly T[]) => boolean, what: string): Promise<readonly T[]> {
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          checks.delete(check);
        };
        const check = () => {
          if (!isEnough(items)) return;
          end();
          resolve(items);
        };
        const timer = setTimeout(() => {
          end();
          const shown = items.slice(-5).map((item) => String(JSON.stringify(item)).slice(0, 300));
          reject(new Error(`waited for ${what}; there were ${items.length}, last:\n${shown.join("\n")}`));
        }, patience.timeout);
        checks.add(check);
        check();
      });
    },
  };
}
