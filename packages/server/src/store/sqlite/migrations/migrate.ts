import Database from "better-sqlite3";
import { StoreError } from "../../../errors.ts";
import type { Migration } from "./migration.ts";
import { migrations } from "./migrations.ts";

/** The version that this Plenary writes. It reads all versions up to it. */
export const newestVersion = newestOf(migrations);

function newestOf(steps: readonly Migration[]): number {
  return Math.max(...steps.map(({ version }) => version));
}

/** 0: the file was never opened for writing. */
export function versionOf(db: Database.Database): number {
  return Number(db.pragma("user_version", { simple: true }));
}

export function assertKnownVersion(db: Database.Database, newest = newestVersion): void {
  const version = versionOf(db);
  if (version <= newest) return;
  const what = `the store is of version ${version}, and this Plenary reads versions up to ${newest}`;
  throw new StoreError("store-version", `${what}: use the newer Plenary that wrote it, or restore a backup`);
}

/**
 * Brings a file to the newest version. Each migration and its version are one transaction: a process that ends at any
 * moment leaves the version before or the version after.
 */
export function migrate(db: Database.Database, steps: readonly Migration[] = migrations): void {
  assertKnownVersion(db, newestOf(steps));
  for (const step of steps) if (versionOf(db) < step.version) runStep(db, step);
}

function runStep(db: Database.Database, { version, name, sql }: Migration): void {
  const run = db.transaction(() => {
    // Another process may have migrated the file while this one waited for the lock.
    if (versionOf(db) >= version) return;
    db.exec(sql);
    db.pragma(`user_version = ${version}`);
  });
  try {
    run.immediate();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const what = `the store stays at version ${versionOf(db)}; its migration to version ${version} (${name}) has failed`;
    throw new StoreError("store-migration", `${what}: ${why}`, { cause });
  }
}

/**
 * Adds the tables that a file of an older version lacks, as temporary views or empty tables, so that readers find those of
 * the newest. Nothing is written to the file.
 */
export function addMissingTables(db: Database.Database): void {
  const newest = new Database(":memory:");
  try {
    migrate(newest);
    const there = new Set(tablesIn(db));
    const columns = newest.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck();
    const views = Object.assign({}, ...migrations.map((step) => step.views ?? {})) as Record<string, string>;
    const missing = tablesIn(newest).filter((table) => !there.has(table));
    for (const table of missing) {
      if (views[table] === undefined) db.exec(`CREATE TEMP TABLE ${table} (${columns.all(table).join(", ")})`);
    }
    // The views read tables that may be missing themselves.
    for (const table of missing) db.exec(views[table] ?? "");
  } finally {
    newest.close();
  }
}

function tablesIn(db: Database.Database): string[] {
  return db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
}
