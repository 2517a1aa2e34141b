import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const files = ["envelope", "dialog-event", "manifest"];
const textOf = (name: string) => readFileSync(new URL(`../../schemas/${name}.json`, import.meta.url), "utf8");
const inFiles = files.flatMap((name) => [...textOf(name).matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/gu)]);
const patterns = [...new Set(inFiles.map(([, pattern = ""]) => JSON.parse(pattern) as string))];

/** Beginnings of values that a pattern accepts, so that the rest of the pattern is tried too. */
const beginnings = [
  "",
  "a:",
  "a://",
  "a/b",
  "text/plain",
  "2025-01-01T00:00:00.",
  "PT",
  "P1",
  "en-",
  "x-",
  "<?xml",
  "A=",
];
const fillers = [" ", "a", "=", "-", "1", "/", ";", "a-", "-a1", "1.", "= ", "?>"];

test.each(patterns)("the pattern %s reads any 128 KiB without backtracking", (pattern) => {
  const regExp = new RegExp(pattern, "u");
  // A pattern that backtracks for each character would take minutes.
  for (const beginning of beginnings) {
    for (const filler of fillers) regExp.test(`${beginning}${filler.repeat(131_072 / filler.length)}\u0000`);
  }
  expect(regExp.test("\u0000")).toBe(false);
});

test("the schema files contain patterns", () => {
  expect(patterns.length).toBeGreaterThan(8);
});
