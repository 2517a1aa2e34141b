import { existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { parseConfiguration } from "../config/configuration.ts";
import { FileError } from "../errors.ts";
import type { Io } from "../io.ts";
import { givenStore, storeFile } from "../store/location.ts";
import { inspectStore, tokenFileOf } from "../store/store.ts";
import type { FileMode, Inspection, StoreInspection } from "./findings.ts";

/** Changes nothing; the floor may be running or not. Throws a FileError. */
export async function inspect({ host, store }: { host: string; store?: string }, io: Io): Promise<Inspection> {
  const { env } = io;
  return {
    now: new Date().toISOString(),
    node: {
      version: process.version,
      isLts: process.release.lts !== undefined,
      options: [env.NODE_OPTIONS ?? "", ...process.execArgv].join(" "),
      rejectUnauthorized: env.NODE_TLS_REJECT_UNAUTHORIZED,
    },
    user: process.getuid?.(),
    configured: parseConfiguration({ host }, env),
    namedStore: givenStore(store, io),
    store: await inspectStoreFiles(storeFile(store, io)),
  };
}

async function inspectStoreFiles(file: string | undefined): Promise<StoreInspection> {
  if (file === undefined) return { kind: "memory" };
  const folder = fileMode(dirname(file));
  const freeBytes = freeBytesAt(dirname(file));
  const found = fileMode(file);
  if (found === undefined || folder === undefined) return { kind: "missing", file, folder, freeBytes };
  const beside = [fileMode(`${file}-wal`), fileMode(`${file}-shm`)].filter((place) => place !== undefined);
  const token = fileMode(tokenFileOf(file));
  return { kind: "kept", files: [found, ...beside], token, folder, freeBytes, survey: await inspectStore(file) };
}

function fileMode(path: string): FileMode | undefined {
  const stats = orFileError(path, (): Stats | undefined => statSync(path, { throwIfNoEntry: false }));
  return stats && { path, mode: stats.mode & 0o7777, uid: stats.uid };
}

/** For a missing folder, the nearest existing parent counts. */
function freeBytesAt(folder: string): number {
  if (!existsSync(folder) && dirname(folder) !== folder) return freeBytesAt(dirname(folder));
  const { bavail, bsize } = orFileError(folder, () => statfsSync(folder));
  return bavail * bsize;
}

function orFileError<Seen>(path: string, see: () => Seen): Seen {
  try {
    return see();
  } catch (cause) {
    throw FileError.from("read", path, cause);
  }
}
