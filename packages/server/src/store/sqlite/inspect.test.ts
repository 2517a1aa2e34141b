import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openWriter } from "./database.ts";
import { inspectSqlite } from "./inspect.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-survey-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("an empty file has no keys, no agents and no conversations", () => {
  const file = join(folder, "empty.db");
  writeFileSync(file, "");
  expect(inspectSqlite(file)).toMatchObject({ synchronous: 2, keys: [], unsigned: [], unguarded: 0 });
});

test("a store of another version is refused", () => {
  const file = join(folder, "floor.db");
  const db = openWriter(file);
  db.pragma("user_version = 999");
  db.close();
  expect(() => inspectSqlite(file)).toThrow("the store is of version 999");
});
