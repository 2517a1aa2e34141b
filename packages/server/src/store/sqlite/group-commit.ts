import { StoreError } from "../../errors.ts";
import type { Db } from "./database.ts";

export type GroupCommit = {
  /**
   * Runs the writes at once, in a transaction shared with all other writes until the next commit. Resolves when it is
   * durable. Throws when these writes fail; the other writes of the group stay (D35).
   */
  join(write: () => void, onLost?: () => void): Promise<"appended">;
  /** Commits what is open now. */
  flush(): void;
  /** Commits so far, the writes that shared them, and the seconds spent in them. */
  figures(): { commits: number; writes: number; commitSeconds: number };
};

type CommitGroup = {
  size: number;
  written: Promise<"appended">;
  resolve: (outcome: "appended") => void;
  reject: (error: unknown) => void;
  onLost: (() => void)[];
};

export type GroupCommitOptions = {
  /** Schedules the commit of a group; default: `setImmediate`. */
  soon?: (run: () => void) => void;
  /** Called after each commit with its number of writes. */
  onCommit?: (size: number) => void;
};

/** A group of this size is committed at once, which bounds the latency. */
const sizeMax = 512;

type GroupCommitState = {
  db: Db;
  sql: ReturnType<typeof prepare>;
  soon: (run: () => void) => void;
  onCommit: (size: number) => void;
  onDurable: () => void;
  open: CommitGroup | undefined;
  commits: number;
  writes: number;
  commitMs: number;
};

/** Group commit: writes that arrive together share one disk sync. */
export function createGroupCommit(db: Db, options: GroupCommitOptions, onDurable: () => void): GroupCommit {
  const { soon = setImmediate, onCommit = () => {} } = options;
  const state: GroupCommitState = {
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
    join: (write, onLost) => join(state, write, onLost),
    flush: () => flush(state),
    figures: () => ({ commits: state.commits, writes: state.writes, commitSeconds: state.commitMs / 1_000 }),
  };
}

function join(state: GroupCommitState, write: () => void, onLost?: () => void): Promise<"appended"> {
  const { db, sql } = state;
  const group = state.open ?? begin(state);
  sql.mark.run();
  try {
    write();
    sql.unmark.run();
  } catch (error) {
    if (db.inTransaction) {
      sql.back.run();
      sql.unmark.run();
    }
    // Some failures roll back the whole transaction: then all writes of the group are lost and rejected.
    else lose(state, group, error);
    throw failure(error);
  }
  group.size += 1;
  if (onLost !== undefined) group.onLost.push(onLost);
  if (group.size >= sizeMax) flush(state);
  return group.written;
}

function begin(state: GroupCommitState): CommitGroup {
  try {
    state.sql.begin.run();
  } catch (error) {
    throw failure(error);
  }
  const group = newGroup();
  state.open = group;
  state.soon(() => {
    if (state.open === group) flush(state);
  });
  return group;
}

function flush(state: GroupCommitState): void {
  const group = state.open;
  if (group === undefined) return;
  state.open = undefined;
  const before = performance.now();
  try {
    state.sql.commit.run();
  } catch (error) {
    lose(state, group, error);
    return;
  }
  state.commits += 1;
  state.writes += group.size;
  state.commitMs += performance.now() - before;
  state.onCommit(group.size);
  state.onDurable();
  group.resolve("appended");
}

function lose(state: GroupCommitState, group: CommitGroup, cause: unknown): void {
  if (state.open === group) state.open = undefined;
  if (state.db.inTransaction) state.sql.rollback.run();
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

function newGroup(): CommitGroup {
  let resolve: CommitGroup["resolve"] = () => {};
  let reject: CommitGroup["reject"] = () => {};
  const written = new Promise<"appended">((done, fail) => {
    resolve = done;
    reject = fail;
  });
  // Each writer handles its own rejection; a group without writers has no handler.
  written.catch(() => {});
  return { size: 0, written, resolve, reject, onLost: [] };
}

function failure(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
  return new StoreError("store-write", `the store cannot write (${code})`, { retryable: true, cause });
}
