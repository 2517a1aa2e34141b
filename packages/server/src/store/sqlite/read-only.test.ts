import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { openConversation } from "../acceptance/fixture.ts";
import { openLogFile } from "./reader.ts";
import { createSqliteStore } from "./store.ts";

test("a store of an older version is read and not changed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plenary-log-file-"));
  const file = join(folder, "floor.db");
  const store = createSqliteStore(file);
  await openConversation(store, "c");
  await store.close();
  const db = new Database(file);
  const tables = () => db.prepare("SELECT name FROM sqlite_master ORDER BY name").pluck().all();
  db.exec("DROP TABLE title; DROP TABLE parent");
  const before = tables();
  const log = openLogFile(file);
  expect((await log.list({ limit: 10 })).map(({ id }) => id)).toEqual(["c"]);
  expect(await log.entries("c", { after: 0, limit: 1 })).toHaveLength(1);
  log.close();
  expect(tables()).toEqual(before);
  db.close();
  rmSync(folder, { recursive: true });
});
