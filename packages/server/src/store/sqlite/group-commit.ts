import { StoreError } from "../../errors.ts";
import type { Db } from "./database.ts";

export type Groups = {
  /**
   * Runs the writes at once, in a transaction that everything shares that is written until the next commit. Resolves
   * when that is durable. Throws, and leaves the neighbours alone, when these writes fail (D35).
   */
  join(write: () => void, onLost?: () => void): Promise<"appended">;
  /** Commits what is open now. */
  flush(): void;
  /** Commits so far, the writes that shared them, and the seconds spent in them. */
  figures(): { commits: number; writes: number; commitSeconds: number };
};

type Group = {
  size: number;
  written: Promise<"appended">;
  resolve: (outcome: "appended") => void;
  reject: (error: unknown) => void;
  onLost: (() => void)[];
};

export type GroupOptions = {
  /** When to commit what came together; at the end of this turn of the event loop when not given. */
  soon?: (run: () => void) => void;
  /** Hears of every commit: how many writes shared it. */
  onCommit?: (size: number) => void;
};

/** A group this large is committed at once, so that nobody waits for it too long. */
const sizeMax = 512;

type Desk = {
  db: Db;
  sql: ReturnType<typeof prepare>;
  soon: (run: () => void) => void;
  onCommit: (size: number) => void;
  onDurable: () => void;
  open: Group | undefined;
  commits: number;
  writes: number;
  commitMs: number;
};

/** Group commit: what arrives while the disk is busy shares the next trip to it. */
export function createGroups(db: Db, options: GroupOptions, onDurable: () => void): Groups {
  const { soon = setImmediate, onCommit = () => {} } = options;
  const desk: Desk = {
    db,
    sql: prepare(db),
    soon,
    onCommit,
    onDurable,
    open: undefined,
    commits: 0,
    writes: 0,
    commitMs: 0,
  };
  return {
    join: (write, onLost) => join(desk, write, onLost),
    flush: () => flush(desk),
    figures: () => ({ commits: desk.commits, writes: desk.writes, commitSeconds: desk.commitMs / 1_000 }),
  };
}

function join(desk: Desk, write: () => void, onLost?: () => void): Promise<"appended"> {
  const { db, sql } = desk;
  const group = desk.open ?? begin(desk);
  sql.mark.run();
  try {
    write();
    sql.unmark.run();
  } catch (error) {
    if (db.inTransaction) {
      sql.back.run();
      sql.unmark.run();
    }
    // Some failures undo the whole transaction: then the neighbours are lost too, and hear of it.
    else lose(desk, group, error);
    throw failure(error);
  }
  group.size += 1;
  if (onLost !== undefined) group.onLost.push(onLost);
  if (group.size >= sizeMax) flush(desk);
  return group.written;
}

function begin(desk: Desk): Group {
  try {
    desk.sql.begin.run();
  } catch (error) {
    throw failure(error);
  }
  const group = newGroup();
  desk.open = group;
  desk.soon(() => {
    if (desk.open === group) flush(desk);
  });
  return group;
}

function flush(desk: Desk): void {
  const group = desk.open;
  if (group === undefined) return;
  desk.open = undefined;
  const before = performance.now();
  try {
    desk.sql.commit.run();
  } catch (error) {
    lose(desk, group, error);
    return;
  }
  desk.commits += 1;
  desk.writes += group.size;
  desk.commitMs += performance.now() - before;
  desk.onCommit(group.size);
  desk.onDurable();
  group.resolve("appended");
}

function lose(desk: Desk, group: Group, cause: unknown): void {
  if (desk.open === group) desk.open = undefined;
  if (desk.db.inTransaction) desk.sql.rollback.run();
  for (const onLost of group.onLost) onLost();
  group.reject(failure(cause));
}

function prepare(db: Db) {
  return {
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    rollback: db.prepare("ROLLBACK"),
    mark: db.prepare("SAVEPOINT decision"),
    unmark: db.prepare("RELEASE decision"),
    back: db.prepare("ROLLBACK TO decision"),
  };
}

function newGroup(): Group {
  let resolve: Group["resolve"] = () => {};
  let reject: Group["reject"] = () => {};
  const written = new Promise<"appended">((done, fail) => {
    resolve = done;
    reject = fail;
  });
  // Each writer gets its result; a group without writers has none to give.
  written.catch(() => {});
  return { size: 0, written, resolve, reject, onLost: [] };
}

function failure(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
  return new StoreError("store-write", `the store cannot write (${code})`, { retryable: true, cause });
}
