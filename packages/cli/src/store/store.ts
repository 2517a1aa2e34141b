import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { CredentialStore, FloorStore, LogFile, SqliteInspection } from "@plenary/server";
import { FileError, messageOf } from "../errors.ts";

export async function openStore(file: string | undefined): Promise<FloorStore> {
  const { createMemoryStore, createSqliteStore } = await import("@plenary/server");
  if (file === undefined) return createMemoryStore();
  return orFileError(file, () => {
    createFolder(file);
    const store = createSqliteStore(file);
    // Owner only: an older or copied store may have a wider mode.
    const path = realpathSync(file);
    for (const part of [path, `${path}-wal`, `${path}-shm`, `${path}-lock`])
      if (existsSync(part)) chmodSync(part, 0o600);
    return store;
  });
}

type OpenCredentials = CredentialStore & { close(): Promise<void> };

/** Credentials live in the same store as the conversations. */
export async function openCredentials(file: string | undefined): Promise<OpenCredentials> {
  const { createMemoryCredentials, createSqliteCredentials } = await import("@plenary/server");
  if (file === undefined) return { ...createMemoryCredentials(), close: async () => {} };
  return orFileError(file, () => createSqliteCredentials(file));
}

/** Opens the store read-only. */
export async function inspectStore(file: string): Promise<SqliteInspection> {
  const { inspectSqlite } = await import("@plenary/server");
  return orFileError(file, () => inspectSqlite(file));
}

/** Whether the store has a key that is still valid. */
export async function hasLiveKey(file: string | undefined): Promise<boolean> {
  if (file === undefined || !existsSync(file)) return false;
  const { hasEnded } = await import("@plenary/server");
  const now = new Date().toISOString();
  return (await inspectStore(file)).keys.some((key) => !hasEnded(key, now));
}

export async function orFileError<Opened>(file: string, open: () => Opened): Promise<Opened> {
  const { StoreError } = await import("@plenary/server");
  try {
    return open();
  } catch (cause) {
    throw storeOpenError(file, cause instanceof StoreError ? cause.code : "store-open", cause);
  }
}

export function storeOpenError(file: string, code: string, cause: unknown): FileError {
  const other = "give another file with --store";
  const remedy = code === "store-version" ? `, or ${other}` : `; stop the process that uses it, or ${other}`;
  return new FileError("open", file, code, `${messageOf(cause)}${remedy}`, cause);
}

/** Opens the logs read-only. A file that is not a store becomes a FileError. */
export async function openLog(file: string): Promise<LogFile> {
  const { openLogFile } = await import("@plenary/server");
  try {
    return openLogFile(file);
  } catch (cause) {
    throw storeReadError(file, cause);
  }
}

export function storeReadError(file: string, cause: unknown): FileError {
  return new FileError("read", file, "store-read", messageOf(cause), cause);
}

export function tokenFileOf(file: string): string {
  return `${file}-token`;
}

type StoredToken = { token: string; warning?: string };

/** The operator's token is kept beside the store, so that agents and pages reconnect after a restart. */
export function loadOrCreateToken(file: string, create: () => string, user = process.getuid?.()): StoredToken {
  const place = tokenFileOf(file);
  try {
    createFolder(file);
    const { token: kept = "", ...warning } = readOwnToken(place, user);
    // An empty token must not match: a client without a token would be the operator.
    if (kept !== "") return { token: kept, ...warning };
    const token = create();
    rmSync(place, { force: true });
    // Exclusive: a file that another account put there meanwhile is not written to.
    writeFileSync(place, `${token}\n`, { mode: 0o600, flag: "wx" });
    return { token, ...warning };
  } catch (cause) {
    throw cause instanceof FileError ? cause : FileError.from("read", place, cause);
  }
}

/** Reads without creating or changing anything. Undefined when there is no token. */
export function readToken(file: string): string | undefined {
  const place = tokenFileOf(file);
  try {
    const opened = openWithoutFollowing(place);
    if (opened === undefined) return undefined;
    try {
      return readFileSync(opened, "utf8").trim() || undefined;
    } finally {
      closeSync(opened);
    }
  } catch (cause) {
    throw cause instanceof FileError ? cause : FileError.from("read", place, cause);
  }
}

/** Checks and reads the same file handle: the path could be replaced between two opens. */
function readOwnToken(place: string, user: number | undefined): Partial<StoredToken> {
  const opened = openWithoutFollowing(place);
  if (opened === undefined) return {};
  try {
    if (!fstatSync(opened).isFile()) throw notPlainFileError(place);
    const warning = restrictMode(opened, place, user);
    return { token: readFileSync(opened, "utf8").trim(), ...warning };
  } finally {
    closeSync(opened);
  }
}

/** Undefined when the file is missing. Does not follow links and does not block on pipes. */
function openWithoutFollowing(place: string): number | undefined {
  try {
    return openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw code === "ELOOP" ? notPlainFileError(place) : cause;
  }
}

function notPlainFileError(place: string): FileError {
  return new FileError("read", place, "token-kind", "it is not a regular file; delete it and start again");
}

/** An account that can read or write the token file has the operator's rights. */
function restrictMode(opened: number, place: string, user: number | undefined): { warning?: string } {
  // Without numeric user ids (Windows) file modes mean nothing.
  if (user === undefined) return {};
  const { mode, uid } = fstatSync(opened);
  // Root may run a floor on files of the floor's own account.
  if (uid !== (user === 0 ? statSync(dirname(place)).uid : user)) {
    const why = `it belongs to another account (${uid}), which knows the token; delete it and start again`;
    throw new FileError("read", place, "token-owner", why);
  }
  if ((mode & 0o077) === 0) return {};
  fchmodSync(opened, 0o600);
  const what = `other accounts could read or change ${place}; its mode is 0600 now`;
  return { warning: `${what}. If others use this machine, delete it and start again to get a new token` };
}

function createFolder(file: string): void {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}
