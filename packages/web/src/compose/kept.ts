import { tabShelf } from "../wire/keeping.ts";

/** Half-done work of this tab survives a reload; more than this of one thing does not. */
const charactersMax = 100_000;

export function readKept(key: string): unknown {
  return tabShelf.read(key);
}

export function keep(key: string, value: unknown): void {
  tabShelf.put(key, value, charactersMax);
}
