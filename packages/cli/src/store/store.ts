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
import type { CredentialStore, FloorStore, Survey } from "@plenary/server";
import { FileError } from "../errors.ts";

export async function openStore(file: string | undefined): Promise<FloorStore> {
  const { createMemoryStore, createSqliteStore } = await import("@plenary/server");
  if (file === undefined) return createMemoryStore();
  return orFileError(file, () => {
    createFolder(file);
    const store = createSqliteStore(file);
    // What people said to each other is for whoever runs the floor: a store of before, or from elsewhere, may be open.
    const path = realpathSync(file);
    for (const part of [path, `${path}-wal`, `${path}-shm`, `${path}-lock`])
      if (existsSync(part)) chmodSync(part, 0o600);
    return store;
  });
}

type OpenCredentials = CredentialStore & { close(): Promise<void> };

/** In the file of the conversations, or as short-lived as they are. */
export async function openCredentials(file: string | undefined): Promise<OpenCredentials> {
  const { createMemoryCredentials, createSqliteCredentials } = await import("@plenary/server");
  if (file === undefined) return { ...createMemoryCredentials(), close: async () => {} };
  return orFileError(file, () => createSqliteCredentials(file));
}

/** Read only: whoever looks leaves nothing behind. */
export async function inspectStore(file: string): Promise<Survey> {
  const { surveySqlite } = await import("@plenary/server");
  return orFileError(file, () => surveySqlite(file));
}

/** Whether somebody beside the operator has a key. */
export async function hasLiveKey(file: string | undefined): Promise<boolean> {
  if (file === undefined || !existsSync(file)) return false;
  const { hasEnded } = await import("@plenary/server");
  const now = new Date().toISOString();
  return (await inspectStore(file)).keys.some((key) => !hasEnded(key, now));
}

async function orFileError<Opened>(file: string, open: () => Opened): Promise<Opened> {
  const { StoreError } = await import("@plenary/server");
  try {
    return open();
  } catch (cause) {
    throw storeOpenError(file, cause instanceof StoreError ? cause.code : "store-open", cause);
  }
}

export function storeOpenError(file: string, code: string, cause: unknown): FileError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new FileError("open", file, code, `${why}; stop what uses it, or give --store another file`, cause);
}

export function tokenFileOf(file: string): string {
  return `${file}-token`;
}

type StoredToken = { token: string; warning?: string };

/** The operator's token stays the same as long as the store does: agents and pages come back after a restart. */
export function loadOrCreateToken(file: string, create: () => string, user = process.getuid?.()): StoredToken {
  const place = tokenFileOf(file);
  try {
    createFolder(file);
    const { token: kept = "", ...warning } = readOwnToken(place, user);
    // Nothing is no token: whoever sent none would be the operator.
    if (kept !== "") return { token: kept, ...warning };
    const token = create();
    rmSync(place, { force: true });
    // Made here or not at all: what somebody else put there meanwhile is not written to.
    writeFileSync(place, `${token}\n`, { mode: 0o600, flag: "wx" });
    return { token, ...warning };
  } catch (cause) {
    throw cause instanceof FileError ? cause : FileError.from("read", place, cause);
  }
}

/** For whoever talks to a floor that runs: nothing is made or changed. Undefined when there is none. */
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

/** What is looked at is what is read: between two looks somebody could put another file there. */
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

/** Undefined when nothing is there. A link is not followed, a pipe not waited for. */
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
  return new FileError("read", place, "token-kind", "it is no plain file; delete it and start again");
}

/** Whoever reads the token is the operator, and whoever wrote it has read it. */
function restrictMode(opened: number, place: string, user: number | undefined): { warning?: string } {
  // Where accounts have no numbers, modes mean nothing either.
  if (user === undefined) return {};
  const { mode, uid } = fstatSync(opened);
  // Root may run a floor on what belongs to an account of the floor's own.
  if (uid !== (user === 0 ? statSync(dirname(place)).uid : user)) {
    const why = `it belongs to another account (${uid}), who knows the token in it; delete it and start again`;
    throw new FileError("read", place, "token-owner", why);
  }
  if ((mode & 0o077) === 0) return {};
  fchmodSync(opened, 0o600);
  const what = `${place} could be read or changed by other accounts; it is 0600 now`;
  return { warning: `${what}. If others use this machine, delete it and start again: that makes a new token` };
}

function createFolder(file: string): void {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}
