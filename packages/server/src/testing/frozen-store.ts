import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

const folder = join(import.meta.dirname, "../store/sqlite/migrations/fixtures");

/** The versions of which a file is frozen as SQL. */
export function frozenVersions(): number[] {
  const names = readdirSync(folder).flatMap((name) => /^version-(\d+)\.sql$/u.exec(name)?.[1] ?? []);
  return names.map(Number).sort((one, other) => one - other);
}

/** The SQL of a file as the releases of that version left it, rows included. Changes of the code do not change it. */
export function frozenSql(version: number): string {
  return readFileSync(join(folder, `version-${version}.sql`), "utf8");
}

/** The statements of a frozen file that create what the version before does not have. */
export function statementsSince(version: number): string[] {
  const created = (one: number) => frozenSql(one).match(/^CREATE .*$/gmu) ?? [];
  const before = new Set(created(version));
  return created(version + 1).filter((statement) => !before.has(statement));
}

/** Creates a file of that version, with `more` run in it. */
export function createFrozenStore(file: string, version: number, more = ""): void {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.exec(`${frozenSql(version)}${more}`);
  db.close();
}

/** Takes a closed store of version 3 back to version 1, and drops this table that later releases added. */
export function takeBack(file: string, table: string): void {
  const db = new Database(file);
  db.exec("DROP TABLE place; DROP TABLE moved; DROP TABLE settled");
  db.exec("CREATE UNIQUE INDEX log_place ON log (conversation, first)");
  db.exec(`DROP TABLE ${table}; PRAGMA user_version = 1`);
  db.close();
}
