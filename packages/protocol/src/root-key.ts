import { report } from "./mend.ts";
import { isRecord, type Reader } from "./shape.ts";

/** The content of an envelope, and the key it was found under. */
export type Root = { key: string; name: RootName; content: unknown };

type RootName = "openFloor" | "ovon";

/** Finds the root key. Of two root keys openFloor is read; a misspelt one is read as the key it resembles. */
export function rootOf(value: unknown, reader: Reader): Root | undefined {
  if (isRecord(value)) {
    const { openFloor, ovon } = value;
    if (openFloor !== undefined && ovon !== undefined) {
      const problem = 'an envelope has one root key, but this document has "openFloor" and "ovon" (openFloor is read)';
      report(reader, { up: undefined, key: "ovon" }, "two-roots", problem);
    }
    if (openFloor !== undefined) return { key: "openFloor", name: "openFloor", content: openFloor };
    if (ovon !== undefined) return { key: "ovon", name: "ovon", content: ovon };
    const misspelt = misspeltRoot(value);
    if (misspelt !== undefined) {
      const { key, name } = misspelt;
      const problem = `an envelope is an object under "${name}", but here it is "${key}"`;
      report(reader, { up: undefined, key }, "root", { problem, fix: `rename the key "${key}" to "${name}"` });
      return misspelt;
    }
  }
  const problem = 'an envelope is an object under the key "openFloor", but this has none';
  report(reader, undefined, "root", problem, "error", false);
  return undefined;
}

/** How many letters may be wrong. A short name allows fewer: "oven" is one letter away from "ovon". */
const wrongLettersMax: Record<RootName, number> = { openFloor: 2, ovon: 1 };

/** A key with a wrong letter is a root key only where it holds events: other keys may stand beside an envelope. */
function misspeltRoot(value: Record<string, unknown>): Root | undefined {
  for (const [key, content] of Object.entries(value)) {
    for (const name of ["openFloor", "ovon"] as const) {
      const wrong = wrongLetters(lettersOf(key), lettersOf(name));
      const isMeant = wrong === 0 || (isRecord(content) && Array.isArray(content.events));
      if (wrong <= wrongLettersMax[name] && isMeant) return { key, name, content };
    }
  }
  return undefined;
}

function lettersOf(key: string): string {
  return key.toLowerCase().replace(/[^a-z]/gu, "");
}

/** Levenshtein distance, or more than any limit where the lengths alone rule it out. */
function wrongLetters(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const kept = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(kept, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
