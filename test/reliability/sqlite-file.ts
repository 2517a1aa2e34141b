// The file of a store, read from outside. Only the server package depends on the library.
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

const stalledMs = 60_000;

/** Waits until every delivery has ended, however slow the machine is; but not when there is no more progress. */
export async function untilFinished(file: string): Promise<{ dead: number }> {
  let [least, sinceMs] = [Number.POSITIVE_INFINITY, performance.now()];
  for (;;) {
    const { deliveries, dead } = unfinishedIn(file);
    if (deliveries === 0) return { dead };
    if (deliveries < least) [least, sinceMs] = [deliveries, performance.now()];
    if (performance.now() - sinceMs > stalledMs) throw new Error(`${deliveries} deliveries do not come to their end`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const later = "l.pos > (SELECT pos FROM moved)";

/** Deliveries that have not ended, of rows that are in the log only. */
const sentInLog = `
  SELECT l.conversation, s.value ->> 'delivery' FROM log l, json_each(l.keys, '$.sent') s WHERE ${later}
  EXCEPT SELECT conversation, delivery FROM settled
  EXCEPT SELECT l.conversation, e.value FROM log l, json_each(l.keys, '$.settled') e WHERE ${later}
  EXCEPT SELECT l.conversation, e.value ->> 'answers' FROM log l, json_each(l.entries) e
    WHERE ${later} AND json_type(l.keys, '$.settled') IS NULL`;

/** Rows of the floor's open work. */
function unfinishedIn(file: string): { deliveries: number; dead: number } {
  const db = openSqlite(file, { readonly: true });
  try {
    const count = (table: string) => Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
    return { deliveries: count("outbox") + count(`(${sentInLog})`), dead: count("dead_letter") };
  } finally {
    db.close();
  }
}
