import { isRecord } from "../is-record.ts";
import { report } from "../repair/repair.ts";
import type { ParseState } from "../repair/shape.ts";

/** The content of an envelope, and the key it was found under. */
export type Root = { key: string; name: RootName; content: unknown };

type RootName = "openFloor" | "ovon";

/** The first is read where a document has both. */
const rootNames: readonly RootName[] = ["openFloor", "ovon"];

/** Finds the root key. Of two root keys openFloor is read; a misspelt key is read as the one it resembles. */
export function rootOf(value: unknown, state: ParseState): Root | undefined {
  if (isRecord(value)) {
    const name = rootNames.find((one) => value[one] !== undefined);
    if (name !== undefined) {
      const second = secondRoot(value, name);
      if (second !== undefined) {
        const problem = `an envelope has one root key, but this document has "${name}" and "${second}" (${name} is read)`;
        report(state, { up: undefined, key: second }, "two-roots", problem);
      }
      return { key: name, name, content: value[name] };
    }
    const misspelt = likelyRoot(value);
    if (misspelt !== undefined) {
      const { key, name } = misspelt;
      const problem = `an envelope is an object under "${name}", but here it is "${key}"`;
      report(state, { up: undefined, key }, "root", { problem, fix: `rename the key "${key}" to "${name}"` });
      return misspelt;
    }
  }
  const problem = 'an envelope is an object under the key "openFloor", but this has none';
  report(state, undefined, "root", problem, "error", false);
  return undefined;
}

/** Another root key beside the one that is read, spelt right or wrong. */
export function secondRoot(value: Record<string, unknown>, read: RootName): string | undefined {
  return likelyRoot(value, read)?.key;
}

/** Limit of keys that are searched for a misspelt root key. */
const keysLookedAtMax = 100;

/** How many letters may be wrong. A short name allows fewer: "oven" is one letter away from "ovon". */
const wrongLettersMax: Record<RootName, number> = { openFloor: 2, ovon: 1 };
const lettersOfRoot: Record<RootName, string> = { openFloor: "openfloor", ovon: "ovon" };

/**
 * A root key, correct or misspelt. A misspelt one must hold events: a document may have other keys beside
 * the envelope.
 */
function likelyRoot(value: Record<string, unknown>, read?: RootName): Root | undefined {
  let looked = 0;
  for (const key in value) {
    looked += 1;
    if (looked > keysLookedAtMax) break;
    if (key === read) continue;
    const content = value[key];
    const letters = lettersOf(key);
    const holdsEvents = isRecord(content) && Array.isArray(content.events);
    for (const name of rootNames) {
      const isMeant = letters === lettersOfRoot[name];
      const isNear = holdsEvents && wrongLetters(letters, lettersOfRoot[name]) <= wrongLettersMax[name];
      if (isMeant || isNear) return { key, name, content };
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
