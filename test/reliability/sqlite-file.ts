// The file of a store, looked at from outside. Only the server package depends on the library.
import { createRequire } from "node:module";

export type SqliteFile = {
  prepare(sql: string): {
    all(...values: unknown[]): Record<string, unknown>[];
    get(...values: unknown[]): Record<string, unknown> | undefined;
    run(...values: unknown[]): { changes: number };
  };
  exec(sql: string): void;
  pragma(text: string, options?: { simple: boolean }): unknown;
  backup(to: string, options?: { progress: () => number }): Promise<unknown>;
  close(): void;
};

const require = createRequire(new URL("../../packages/server/package.json", import.meta.url));
const Database = require("better-sqlite3") as new (file: string, options?: { readonly?: boolean }) => SqliteFile;

export function openSqlite(file: string, options: { readonly?: boolean } = {}): SqliteFile {
  return new Database(file, options);
}

/** Rows of what the floor still has to do. */
export function unfinishedIn(file: string): { deliveries: number; dead: number } {
  const db = openSqlite(file, { readonly: true });
  try {
    const count = (table: string) => Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
    return { deliveries: count("outbox"), dead: count("dead_letter") };
  } finally {
    db.close();
  }
}
