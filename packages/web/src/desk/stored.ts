import { browserShelf } from "../wire/keeping.ts";

const charsMax = 4_000;

/** What this browser remembers, whoever uses it. */
export function readStored(name: string): unknown {
  return browserShelf.read(name, charsMax);
}

export function writeStored(name: string, value: unknown): void {
  browserShelf.put(name, value, charsMax);
}
