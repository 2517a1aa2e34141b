import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Tells when one of some files was changed. */
export type FileWatch = {
  add(file: string): void;
  /** Settles with the next change, or at once with one that was not told yet. */
  changed(): Promise<string>;
  close(): void;
};

const filesMax = 1_000;
/** Editors write a file in several steps. */
const settleMs = 80;

export function createFileWatch(): FileWatch {
  const files = new Map<string, string | undefined>();
  const folders = new Map<string, FSWatcher>();
  let untold: string | undefined;
  let listener: ((file: string) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    for (const [file, before] of files) {
      const now = versionOf(file);
      // One that is gone is being replaced, or there is nothing to start.
      if (now === undefined || now === before) continue;
      files.set(file, now);
      untold = file;
    }
    if (untold === undefined || listener === undefined) return;
    listener(untold);
    [untold, listener] = [undefined, undefined];
  };
  const lookSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(look, settleMs);
  };

  return {
    add(file) {
      if (files.has(file) || files.size >= filesMax) return;
      files.set(file, versionOf(file));
      const folder = dirname(file);
      if (folders.has(folder)) return;
      // The folder, since an editor that saves puts another file in the place of this one.
      const watcher = watch(folder, (_, name) => {
        if (name === null || [...files.keys()].some((one) => basename(one) === name)) lookSoon();
      });
      watcher.on("error", () => watcher.close());
      folders.set(folder, watcher);
    },
    changed: () =>
      new Promise((resolve) => {
        listener = resolve;
        if (untold !== undefined) look();
      }),
    close() {
      clearTimeout(timer);
      for (const watcher of folders.values()) watcher.close();
    },
  };
}

function versionOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.mtimeMs} ${found.size} ${found.ino}`;
}
