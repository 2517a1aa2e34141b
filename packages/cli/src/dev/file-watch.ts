import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

export type FileWatch = ReturnType<typeof createFileWatch>;

const filesMax = 1_000;
/** Editors save a file in several steps. */
const settleMs = 80;

/** Watches files for changes. */
export function createFileWatch() {
  const files = new Map<string, string | undefined>();
  const folders = new Map<string, FSWatcher>();
  let untold: string | undefined;
  let listener: ((file: string) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    for (const [file, before] of files) {
      const now = versionOf(file);
      // A missing file is being replaced.
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
    add(file: string): void {
      if (files.has(file) || files.size >= filesMax) return;
      files.set(file, versionOf(file));
      const folder = dirname(file);
      if (folders.has(folder)) return;
      // The folder, because editors replace the file on save.
      const notifier = watch(folder, (_, name) => {
        if (name === null || [...files.keys()].some((one) => basename(one) === name)) lookSoon();
      });
      notifier.on("error", () => notifier.close());
      folders.set(folder, notifier);
    },
    /** Resolves with the next changed file, or at once with an unreported one. */
    changed: () =>
      new Promise<string>((resolve) => {
        listener = resolve;
        if (untold !== undefined) look();
      }),
    close(): void {
      clearTimeout(timer);
      for (const notifier of folders.values()) notifier.close();
    },
  };
}

function versionOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.mtimeMs} ${found.size} ${found.ino}`;
}
