import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { StoreError } from "../../errors.ts";
import { addMissingTables, assertKnownVersion, migrate, newestVersion, versionOf } from "./migrations/migrate.ts";

export type Db = Database.Database;

/** A committed row survives a power failure, if the disk honours syncs. */
export const durability = ["journal_mode = WAL", "synchronous = FULL"];

/** Checkpoints are small and frequent: a large one would delay writes. */
const writerSettings = [
  "wal_autocheckpoint = 1000",
  "busy_timeout = 5000",
  "cache_size = -16384",
  // Without it, split pages would keep copies of content that is erased later (D35).
  "secure_delete = FAST",
];

/** Creates the file with mode 600. SQLite creates the files beside it with the same mode. */
function makePrivate(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
}

/** Creates the file if it does not exist, and returns its real path. */
export function makeStore(file: string): string {
  makePrivate(file);
  return onlyPath(file);
}

/**
 * The path with symbolic links resolved. A file with several hard links is refused: each name would have its own lock and
 * write-ahead log, and two processes could write to the file at the same time.
 */
function onlyPath(file: string): string {
  const path = realpathSync(file);
  const { nlink } = statSync(path);
  if (nlink <= 1) return path;
  const rule = `${path} has ${nlink} hard links, and a store must have one`;
  throw new StoreError("store-linked", `${rule}: delete its other names, or copy it to a new file and use that`);
}

type WriterOptions = {
  pagesMax?: number | undefined;
  /** Called when the file had an older version. */
  onMigrated?: (versions: { from: number; to: number }) => void;
};

/** Opens the only writing connection, and migrates a file of an older version. */
export function openWriter(file: string, { pagesMax, onMigrated }: WriterOptions = {}): Db {
  const db = new Database(file === ":memory:" ? file : makeStore(file));
  try {
    for (const pragma of [...durability, ...writerSettings]) db.pragma(pragma);
    if (pagesMax !== undefined) db.pragma(`max_page_count = ${pagesMax}`);
    const from = versionOf(db);
    migrate(db);
    if (from > 0 && from < newestVersion) onMigrated?.({ from, to: newestVersion });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The connection sees durable data only, and empty tables where a store of an older version has none. */
export function openReader(file: string): Db {
  const db = new Database(existsSync(file) ? onlyPath(file) : file, { readonly: true });
  try {
    assertKnownVersion(db);
    const version = versionOf(db);
    if (version > 0 && version < newestVersion) addMissingTables(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Locks the store for this process, by an exclusive transaction on a file beside it: the operating system releases this
 * lock when the process dies.
 */
export function lock(file: string): { release: () => void } {
  const lockFile = `${makeStore(file)}-lock`;
  makePrivate(lockFile);
  const db = new Database(lockFile, { timeout: 0 });
  try {
    db.pragma("journal_mode = MEMORY");
    db.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    db.close();
    throw new StoreError("store-in-use", "another process uses this store", { cause });
  }
  return { release: () => db.close() };
}

/** Whether a process has the store open. The check does not disturb a process that opens it. */
export function isInUse(file: string): boolean {
  const lockFile = `${existsSync(file) ? realpathSync(file) : file}-lock`;
  if (!existsSync(lockFile)) return false;
  const db = new Database(lockFile, { timeout: 0, readonly: true });
  try {
    db.prepare("SELECT count(*) FROM sqlite_master").get();
    return false;
  } catch {
    return true;
  } finally {
    db.close();
  }
}
