import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Floor } from "@plenary/floor";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FloorStore } from "../../ports/store.ts";
import { createFrozenStore, frozenVersions } from "../../testing/frozen-store.ts";
import { changeOf, envelopeDecision, openDecision, utterance } from "../acceptance/fixture.ts";
import { openReader } from "./database.ts";
import { inspectSqlite } from "./inspect.ts";
import { newestVersion } from "./migrations/migrate.ts";
import { createReader, openLogFile } from "./reader.ts";
import { createSqliteStore } from "./store.ts";
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

/** A conversation of some decisions, which are written together. */
async function talk(store: FloorStore, before: Floor | undefined, count: number): Promise<Floor> {
  const opened = before === undefined ? openDecision("a") : undefined;
  const writing = opened === undefined ? [] : [store.log.append("a", changeOf(opened), 0)];
  let floor = opened?.floor ?? (before as Floor);
  for (let said = 0; said < count; said += 1) {
    const decision = envelopeDecision(floor, utterance(`word ${floor.seq}`));
    writing.push(store.log.append("a", changeOf(decision), floor.seq));
    floor = decision.floor;
  }
  expect(new Set(await Promise.all(writing))).toEqual(new Set(["appended"]));
  return floor;
}

const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test("a store in use is read whole, wherever its rows are", async () => {
  const store = createSqliteStore(file);
  const log = openLogFile(file);
  let floor: Floor | undefined;
  // From the first decision, which is in the log only, to rows that were moved to the tables.
  for (const count of [0, 1, 500, 500, 500]) {
    floor = await talk(store, floor, count);
    expect(await log.load("a")).toEqual(floor);
    expect((await log.entries("a", { after: 0, limit: 10_000 })).map(({ seq }) => seq)).toEqual(numbersTo(floor.seq));
    const { seq } = floor;
    for (const after of [0, 1, 500, 1_000, 1_024, 1_025].filter((one) => one < seq)) {
      expect((await log.entries("a", { after, limit: 2 })).map((entry) => entry.seq)).toEqual(
        [after + 1, after + 2].filter((one) => one <= seq),
      );
    }
    expect(await log.list({ limit: 9 })).toMatchObject([{ id: "a", seq }]);
    expect(inspectSqlite(file)).toMatchObject({ unguarded: 0 });
    expect([...verifySqlite(file)]).toMatchObject([{ conversation: "a", entries: seq }]);
  }
  log.close();
  await store.close();
});

test("rows that the floor moves between two statements of a reader are read once", async () => {
  const first = createSqliteStore(file);
  const begun = await talk(first, undefined, 2);
  await first.close();
  const store = createSqliteStore(file);
  const { seq } = await talk(store, begun, 3);
  const db = openReader(file);
  const unplaced = db.prepare<[number], { first: number; pos: number }>(
    "SELECT first, pos FROM log WHERE pos > (SELECT pos FROM moved) AND conversation = ? ORDER BY pos",
  );
  const found: number[] = [];
  const reader = createReader(db, (no) => {
    const rows = unplaced.all(no);
    found.push(rows.length);
    // It moves all.
    void store.close();
    return rows;
  });
  expect(reader.entries(1, { after: 0, limit: 100 }).map((entry) => entry.seq)).toEqual(numbersTo(seq));
  expect([found, unplaced.all(1)]).toEqual([[3], []]);
  db.close();
});
