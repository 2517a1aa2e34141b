import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { referenceTables } from "./reference-tables.ts";

test("docs/api.md is up to date (node scripts/write-docs.mjs)", () => {
  const file = join(import.meta.dirname, "..", "..", "..", "docs", "api.md");
  expect(readFileSync(file, "utf8")).toBe(referenceTables());
});
