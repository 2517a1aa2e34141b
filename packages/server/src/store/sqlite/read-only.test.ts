import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFrozenStore, frozenVersions } from "../../testing/frozen-store.ts";
import { openReader } from "./database.ts";
import { inspectSqlite } from "./inspect.ts";
import { newestVersion } from "./migrations/migrate.ts";
import { openLogFile } from "./reader.ts";
import { verifySqlite } from "./verify.ts";

let [folder, file] = ["", ""];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-log-file-"));
  file = join(folder, "floor.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each(frozenVersions())("a store of version %i is read and not changed", async (version) => {
  createFrozenStore(file, version);
  const before = readFileSync(file);
  const log = openLogFile(file);
  expect((await log.list({ limit: 10 })).map(({ id }) => id)).toEqual(expect.arrayContaining(["birds", "other"]));
  expect(await log.entries("birds", { after: 0, limit: 1 })).toHaveLength(1);
  expect((await log.load("birds"))?.seq).toBe(47);
  log.close();
  expect([...verifySqlite(file)].filter(({ problem }) => problem !== undefined)).toEqual([]);
  expect(inspectSqlite(file)).toMatchObject({ version, newestVersion, unguarded: 0 });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a store of a newer version is not read", () => {
  createFrozenStore(file, newestVersion, "PRAGMA user_version = 999;");
  const reads = [openReader, openLogFile, inspectSqlite, (path: string) => [...verifySqlite(path)]];
  for (const read of reads) expect(() => read(file)).toThrow("the store is of version 999");
});

test("a file that is no store is not verified as a store without conversations", () => {
  new Database(file).exec("CREATE TABLE other (no INTEGER)").close();
  expect(() => [...verifySqlite(file)]).toThrow("no such table: conversation");
  expect(existsSync(file)).toBe(true);
});
