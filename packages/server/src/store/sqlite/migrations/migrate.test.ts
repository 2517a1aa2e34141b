import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { contentHash } from "../../../conversation/dedupe.ts";
import { createFrozenStore, frozenSql, frozenVersions, statementsSince } from "../../../testing/frozen-store.ts";
import { ann, bot, changeOf, envelopeDecision, now, utterance } from "../../acceptance/fixture.ts";
import { createSqliteCredentials } from "../credentials.ts";
import { openWriter } from "../database.ts";
import { inspectSqlite } from "../inspect.ts";
import { createSqliteStore } from "../store.ts";
import { verifySqlite } from "../verify.ts";
import { migrate, newestVersion, versionOf } from "./migrate.ts";
import { migrations } from "./migrations.ts";

let [folder, file] = ["", ""];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-migrations-"));
  file = join(folder, "floor.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

function using<Result>(db: Database.Database, read: (db: Database.Database) => Result): Result {
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function tablesIn(db: Database.Database): string[] {
  const all = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck();
  return all.all() as string[];
}

/** Every row of every table, by the columns that the table has. */
function rowsIn(db: Database.Database): Record<string, unknown[]> {
  return Object.fromEntries(tablesIn(db).map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]));
}

/** Tables and indexes with their SQL, without the layout of the text. */
function schemaOf(db: Database.Database): Record<string, string> {
  type Created = { name: string; sql: string };
  const created = db.prepare<[], Created>("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name");
  return Object.fromEntries(created.all().map(({ name, sql }) => [name, sql.replace(/\s/gu, "")]));
}

type Column = { name: string; type: string; notnull: number; dflt_value: string | null; pk: number };

/** The columns of each table, and the SQL of each index. */
function contractOf(db: Database.Database): { columns: Record<string, Column[]>; indexes: Record<string, string> } {
  const columns = db.prepare<[string], Column>(
    'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)',
  );
  const tables = tablesIn(db);
  const others = Object.entries(schemaOf(db)).filter(([name]) => !tables.includes(name));
  return {
    columns: Object.fromEntries(tables.map((table) => [table, columns.all(table)])),
    indexes: Object.fromEntries(others),
  };
}

const frozen = (version: number) => new Database(":memory:").exec(frozenSql(version));

test("the migrations are numbered from 1 on, and each version has a frozen file", () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, place) => place + 1));
  expect(frozenVersions()).toEqual(migrations.map(({ version }) => version));
});

describe.each(frozenVersions())("a file of version %i", (version) => {
  test("has the tables that the migrations make, so that no released migration was edited", () => {
    const db = new Database(":memory:");
    migrate(db, migrations.slice(0, version));
    expect([versionOf(db), using(db, schemaOf)]).toEqual([version, using(frozen(version), schemaOf)]);
  });

  test("keeps its rows", () => {
    createFrozenStore(file, version);
    const before = using(new Database(file), rowsIn);
    const after = using(openWriter(file), (db) => ({ rows: rowsIn(db), version: versionOf(db) }));
    expect(after.version).toBe(newestVersion);
    const grown = Object.entries(before).flatMap(([table, rows]) => {
      expect(after.rows[table]).toEqual(expect.arrayContaining(rows.map((row) => expect.objectContaining(row))));
      return after.rows[table]?.length === rows.length ? [] : [table];
    });
    // The names that version 2 kept in the log are moved to their table.
    expect(grown).toEqual(version < 3 ? ["utterance"] : []);
  });

  test("keeps its tables, columns and indexes, and rows without the new columns can be written", () => {
    const before = using(frozen(version), contractOf);
    const after = using(openWriter(":memory:"), contractOf);
    const dropped = Object.keys(before.indexes).filter((index) => !(index in after.indexes));
    // The table `place` takes its place.
    expect(dropped).toEqual(version < 3 ? ["log_place"] : []);
    for (const index of dropped) delete before.indexes[index];
    expect(after.indexes).toMatchObject(before.indexes);
    for (const [table, columns] of Object.entries(before.columns)) {
      expect(after.columns[table]?.slice(0, columns.length)).toEqual(columns);
      const added = after.columns[table]?.slice(columns.length) ?? [];
      expect(added.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null)).toEqual([]);
    }
  });

  test("loads, continues, and is verified", async () => {
    createFrozenStore(file, version);
    const store = createSqliteStore(file);
    const floor = await store.log.load("birds");
    if (floor === undefined) throw new Error("not loaded");
    expect([floor.seq, floor.conversants.length, (await store.log.load("other"))?.isClosed]).toEqual([47, 3, true]);
    const { deliveries, timers } = await store.outbox.pending();
    expect(deliveries.map(({ effect }) => effect.delivery)).toContain("d45.1");
    expect(timers).toMatchObject([{ conversationId: "birds", timer: { id: "held:1" } }]);
    const dead = await store.outbox.deadLetters({ limit: 10 });
    expect(dead).toMatchObject([{ conversationId: "birds", failure: "unreachable" }]);
    expect(await store.lookups.request({ caller: "ann", key: "request-1" })).toMatchObject({
      hash: "hash-1",
      first: 7,
    });
    const known = ["word-1", "word-20", "word-99"].map((dialogEventId) => ({ sender: ann, dialogEventId }));
    expect(await store.lookups.seen("birds", known)).toEqual([["hash-of-word-1"], ["hash-of-word-20"], []]);
    const decision = envelopeDecision(floor, utterance("after the migration"));
    expect(await store.log.append("birds", changeOf(decision), floor.seq)).toBe("appended");
    expect(await store.outbox.redeliver({ conversationId: "birds", delivery: "d4.0" })).toBe(true);
    await store.feedback.keepFeedback({ traceId: "b".repeat(32), by: ann, reaction: "thumbs_up", at: now });
    await store.ready();
    await store.close();
    const verdicts = [...verifySqlite(file)];
    expect(verdicts.map(({ problem }) => problem).filter((problem) => problem !== undefined)).toEqual([]);
    expect(verdicts).toContainEqual(expect.objectContaining({ conversation: "birds", entries: decision.floor.seq }));
  });

  test("takes keys before a floor was started on it", async () => {
    createFrozenStore(file, version);
    const credentials = createSqliteCredentials(file);
    await credentials.addSecret({ id: "s", serviceUrl: bot.serviceUrl, secret: "new secret", createdAt: now });
    expect(await credentials.secretsFor(bot.serviceUrl)).toContain("new secret");
    await credentials.close();
    expect(using(new Database(file), versionOf)).toBe(newestVersion);
  });
});

test("rows of a file of version 3 that the tables beside the log lack are found, and moved when it is closed", async () => {
  createFrozenStore(file, 3);
  // Both cases: the rows are in the log only, and they are in the tables.
  for (const _ of [1, 2]) {
    const store = createSqliteStore(file);
    const { deliveries } = await store.outbox.pending();
    const pending = deliveries.filter(({ conversationId }) => conversationId === "bats");
    expect(pending.map(({ effect }) => effect.delivery)).toEqual(["d12.0"]);
    expect(await store.lookups.request({ caller: "ann", key: "request-2" })).toMatchObject({ first: 3, last: 4 });
    const said = ["bats sleep", "bats fly", "bats hang"].map((text) => contentHash(utterance(text)));
    const names = ["bat-1", "bat-2", "bat-4", "bat-3", "bat-9"].map((dialogEventId) => ({
      sender: ann,
      dialogEventId,
    }));
    const known = [...said, "hash-of-bat-3"].map((hash) => [hash]);
    expect(await store.lookups.seen("bats", names)).toEqual([...known, []]);
    expect((await store.log.entries("bats", { after: 0, limit: 100 })).map(({ seq }) => seq).at(-1)).toBe(12);
    await store.close();
    const verdict = [...verifySqlite(file)].find(({ conversation }) => conversation === "bats");
    expect(verdict).toMatchObject({ entries: 12 });
    expect(verdict?.problem).toBeUndefined();
  }
  const rows = using(new Database(file), rowsIn);
  expect(rows).toMatchObject({ moved: [{ pos: 36 }], settled: [] });
});

test("a new file gets the same tables as a migrated one", () => {
  createFrozenStore(file, 1);
  expect(using(openWriter(file), schemaOf)).toEqual(using(openWriter(join(folder, "new.db")), schemaOf));
});

test.each([
  ["some", statementsSince(1).filter((statement) => /binding|title|feedback \(/u.test(statement))],
  ["all", statementsSince(1)],
])("a file of version 1 with %s of the later tables keeps their rows and gets the others", (_which, statements) => {
  const spoken = `INSERT INTO binding VALUES ('tag:Bank.example,2026:Teller/', '${bot.serviceUrl}');`;
  const title = "INSERT INTO title VALUES (1, '', 'Birds');";
  createFrozenStore(file, 1, [...statements, spoken, title].join("\n"));
  const migrated = using(openWriter(file), (db) => ({ rows: rowsIn(db), schema: schemaOf(db) }));
  expect(migrated.rows.binding).toEqual([{ speaker: "tag:bank.example,2026:teller", url: bot.serviceUrl }]);
  expect(migrated.rows.title).toEqual([{ conversation: 1, speaker: "", title: "Birds" }]);
  expect(migrated.schema).toEqual(using(openWriter(":memory:"), schemaOf));
});

test("a file that an earlier release created for keys, without a version, keeps them and becomes a store", () => {
  const db = new Database(file);
  db.exec(
    statementsSince(1)
      .filter((statement) => /credential|signing_secret/u.test(statement))
      .join("\n"),
  );
  db.exec(
    "INSERT INTO signing_secret VALUES (1, 's', 'http://bot.example', 'secret', '2026-01-01T00:00:00.000Z', NULL)",
  );
  db.close();
  expect(inspectSqlite(file)).toMatchObject({ version: 0, keys: [] });
  const { rows, schema } = using(openWriter(file), (db) => ({ rows: rowsIn(db), schema: schemaOf(db) }));
  expect(rows.signing_secret).toMatchObject([{ id: "s", secret: "secret" }]);
  expect(schema).toEqual(using(openWriter(":memory:"), schemaOf));
});

const next = newestVersion + 1;

test("a migration that fails half-way changes neither tables, rows nor the version, and can be repeated", () => {
  createFrozenStore(file, newestVersion);
  const half = "CREATE TABLE half (no INTEGER) STRICT; DELETE FROM log; INSERT INTO absent VALUES (1);";
  using(new Database(file), (db) => {
    const before = [rowsIn(db), schemaOf(db), versionOf(db)];
    const failing = [...migrations, { version: next, name: "do half", sql: half }];
    const what = `the store stays at version ${newestVersion}; its migration to version ${next} (do half) has failed`;
    expect(() => migrate(db, failing)).toThrow(expect.objectContaining({ code: "store-migration" }));
    expect(() => migrate(db, failing)).toThrow(`${what}: no such table: absent`);
    expect([rowsIn(db), schemaOf(db), versionOf(db)]).toEqual(before);
    migrate(db, [...migrations, { version: next, name: "do all", sql: "CREATE TABLE whole (no INTEGER) STRICT" }]);
    expect([tablesIn(db).includes("whole"), versionOf(db)]).toEqual([true, next]);
  });
});

test("a process that ends within a migration leaves the version before it", () => {
  createFrozenStore(file, 1);
  const copy = join(folder, "copy.db");
  using(new Database(file), (db) => {
    // What is on disk at this moment is what a process that is killed leaves.
    db.function("copy_files", () => {
      for (const part of ["", "-wal"])
        if (existsSync(`${file}${part}`)) copyFileSync(`${file}${part}`, `${copy}${part}`);
      return null;
    });
    // Larger than the cache, so that pages are written before the commit.
    db.pragma("cache_size = 10");
    const fill = "CREATE TABLE filler AS SELECT hex(randomblob(2000)) AS text FROM log a, log b";
    migrate(db, [
      ...migrations,
      { version: next, name: "fill", sql: `${fill}; SELECT copy_files(); DROP TABLE filler` },
    ]);
    expect(versionOf(db)).toBe(next);
  });
  using(new Database(copy), (db) => {
    expect([versionOf(db), tablesIn(db).includes("filler")]).toEqual([newestVersion, false]);
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  });
});

test("a migration runs once, although another process migrates the file at the same time", () => {
  createFrozenStore(file, newestVersion);
  const step = { version: next, name: "race", sql: "CREATE TABLE once (no INTEGER) STRICT" };
  const raced = {
    ...step,
    get sql() {
      using(new Database(file), (other) => migrate(other, [step]));
      return step.sql;
    },
  };
  using(new Database(file), (db) => {
    migrate(db, [raced]);
    expect([versionOf(db), tablesIn(db).includes("once")]).toEqual([next, true]);
  });
});

test("a file of a newer version is refused with what to do, and is not changed", () => {
  createFrozenStore(file, newestVersion, `PRAGMA user_version = ${next};`);
  const before = readFileSync(file);
  const what = `the store is of version ${next}, and this Plenary reads versions up to ${newestVersion}`;
  const refusal = `${what}: use the newer Plenary that wrote it, or restore a backup`;
  for (const open of [openWriter, createSqliteCredentials, createSqliteStore]) {
    expect(() => open(file)).toThrow(expect.objectContaining({ code: "store-version", message: refusal }));
  }
  // Closed: SQLite has removed the files beside it.
  expect([readFileSync(file).equals(before), existsSync(`${file}-wal`)]).toEqual([true, false]);
});
