/** Lines of one kind in a minute, and kinds that are counted apart. */
const repeatLimits = { linesMax: 10, kindsMax: 256, windowMs: 60_000 };

type RepeatLimits = typeof repeatLimits;
/** Calls back after the time. */
export type Schedule = (callback: () => void, ms: number) => void;
/** Gets the number of lines left out; undefined `kind`: of all kinds that are not counted apart. */
type Tell = (omitted: number, kind: string | undefined) => void;

/**
 * Limits lines of one kind, so that a full disk does not write a million of them. At the end of a window that was too
 * short for all lines, `tell` is called.
 */
export function createRepeatLimit(schedule: Schedule, limits: RepeatLimits = repeatLimits) {
  const windows = new Map<string | undefined, { lines: number; omitted: number }>();
  return {
    /** Whether a line of this kind may be written. */
    admits(kind: string, tell: Tell): boolean {
      const key = windows.has(kind) || windows.size < limits.kindsMax ? kind : undefined;
      const known = windows.get(key) ?? { lines: 0, omitted: 0 };
      if (!windows.has(key)) {
        windows.set(key, known);
        schedule(() => {
          windows.delete(key);
          if (known.omitted > 0) tell(known.omitted, key);
        }, limits.windowMs);
      }
      if (known.lines >= limits.linesMax) known.omitted += 1;
      else known.lines += 1;
      return known.omitted === 0;
    },
  };
}

/** Texts that differ only in numbers and ids are of one kind. */
export function kindOf(...parts: readonly string[]): string {
  return parts.map((part) => part.slice(0, 256).replace(/[\w-]*\d[\w-]*/gu, "#")).join("\n");
}
