import { StoreError } from "../../errors.ts";
import type { Db } from "./database.ts";

/** Group commit: writes that arrive together share one transaction and one disk sync. */
export type GroupCommit = {
  /**
   * Queues a write for the next commit. Resolves when it is durable. Rejects when it fails; the other writes of the group
   * stay. A write with the key of an earlier one that has failed is a conflict, and does not run.
   */
  join(write: () => void, part?: { key?: string; onLost?: () => void }): Promise<"appended" | "conflict">;
  /** Commits what is queued now. */
  flush(): void;
  /** Commits so far, the writes that shared them, and the seconds spent in them. */
  figures(): { commits: number; writes: number; commitSeconds: number };
};

export type GroupCommitOptions = {
  /** Schedules the commit of a group; default: `setImmediate`. */
  soon?: (run: () => void) => void;
  /** Called after each commit with its number of writes. */
  onCommit?: (size: number) => void;
};

export type GroupCommitHooks = {
  /** Runs before a write that may be undone alone. Returns what undoes it in memory. */
  beforeWrite: () => () => void;
  /** Runs in each transaction, after its writes. */
  beforeCommit: () => void;
  /** The transaction was rolled back; its writes run again, each on its own. */
  onRollback: () => void;
  onDurable: () => void;
};

type QueuedWrite = {
  write: () => void;
  key: string | undefined;
  onLost: (() => void) | undefined;
  resolve: (outcome: "appended" | "conflict") => void;
  reject: (error: unknown) => void;
};

/** A group of this size is committed at once, which bounds the latency. */
const sizeMax = 512;

export function createGroupCommit(db: Db, options: GroupCommitOptions, hooks: GroupCommitHooks): GroupCommit {
  const { soon = setImmediate, onCommit = () => {} } = options;
  let queue: QueuedWrite[] = [];
  let [commits, writes, commitMs] = [0, 0, 0];
  const write = createGroupWriter(db, hooks, (size, beganAt) => {
    commits += 1;
    writes += size;
    commitMs += performance.now() - beganAt;
    onCommit(size);
  });

  function flush(): void {
    const group = queue;
    if (group.length === 0) return;
    queue = [];
    write(group);
  }

  return {
    join: (write, { key, onLost } = {}) =>
      new Promise((resolve, reject) => {
        queue.push({ write, key, onLost, resolve, reject });
        if (queue.length === 1) soon(flush);
        else if (queue.length >= sizeMax) flush();
      }),
    flush,
    figures: () => ({ commits, writes, commitSeconds: commitMs / 1_000 }),
  };
}

/** Writes groups, each in one transaction, and answers their writers. */
function createGroupWriter(db: Db, hooks: GroupCommitHooks, onCommit: (size: number, beganAt: number) => void) {
  const sql = prepare(db);

  function begin(group: readonly QueuedWrite[]): boolean {
    try {
      sql.begin.run();
      return true;
    } catch (error) {
      lose(group, error);
      return false;
    }
  }

  function rollback(): void {
    if (db.inTransaction) sql.rollback.run();
    hooks.onRollback();
  }

  function lose(group: readonly QueuedWrite[], error: unknown): void {
    rollback();
    for (const { onLost } of group) onLost?.();
    for (const { reject } of group) reject(failure(error));
  }

  /** A failed commit is not tried again: after a failed sync the system may have dropped what was written. */
  function commit(group: readonly QueuedWrite[], written: readonly QueuedWrite[], beganAt: number): boolean {
    try {
      hooks.beforeCommit();
      sql.commit.run();
    } catch (error) {
      lose(group, error);
      return false;
    }
    onCommit(written.length, beganAt);
    hooks.onDurable();
    for (const { resolve } of written) resolve("appended");
    return true;
  }

  /** After a failure: each write gets a savepoint, so that it fails alone. */
  function writeEach(group: readonly QueuedWrite[], beganAt: number): void {
    if (!begin(group)) return;
    let parts: WrittenParts;
    try {
      parts = writeAlone(db, sql, hooks, group);
    } catch (error) {
      lose(group, error);
      return;
    }
    if (commit(group, parts.written, beganAt)) answerOthers(parts);
  }

  return (group: readonly QueuedWrite[]): void => {
    const beganAt = performance.now();
    if (!begin(group)) return;
    try {
      for (const one of group) one.write();
    } catch {
      rollback();
      writeEach(group, beganAt);
      return;
    }
    commit(group, group, beganAt);
  };
}

type WrittenParts = {
  written: QueuedWrite[];
  failed: { one: QueuedWrite; error: unknown }[];
  /** Writes that stand on a failed one. */
  conflicts: QueuedWrite[];
};

/** Throws when the whole transaction is lost, as some failures roll it back. */
function writeAlone(db: Db, sql: Sql, hooks: GroupCommitHooks, group: readonly QueuedWrite[]): WrittenParts {
  const parts: WrittenParts = { written: [], failed: [], conflicts: [] };
  const lostKeys = new Set<string>();
  for (const one of group) {
    if (one.key !== undefined && lostKeys.has(one.key)) {
      one.onLost?.();
      parts.conflicts.push(one);
      continue;
    }
    sql.mark.run();
    const undo = hooks.beforeWrite();
    try {
      one.write();
      sql.unmark.run();
      parts.written.push(one);
    } catch (error) {
      if (!db.inTransaction) throw error;
      sql.back.run();
      sql.unmark.run();
      undo();
      if (one.key !== undefined) lostKeys.add(one.key);
      one.onLost?.();
      parts.failed.push({ one, error });
    }
  }
  return parts;
}

function answerOthers({ failed, conflicts }: WrittenParts): void {
  for (const { one, error } of failed) one.reject(failure(error));
  for (const { resolve } of conflicts) resolve("conflict");
}

type Sql = ReturnType<typeof prepare>;

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

function failure(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
  return new StoreError("store-write", `the store cannot write (${code})`, { retryable: true, cause });
}
