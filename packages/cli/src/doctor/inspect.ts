import { existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { parseConfiguration } from "../config/configuration.ts";
import { FileError } from "../errors.ts";
import type { Io } from "../io.ts";
import { namedStore, storeFile } from "../store/location.ts";
import { lookInto, tokenFileOf } from "../store/store.ts";
import type { Place, Sight, StoreSight } from "./findings.ts";

/** Changes nothing, and needs no floor to be running or not. Throws a FileError where it cannot look. */
export async function look({ host, store }: { host: string; store?: string }, io: Io): Promise<Sight> {
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
    namedStore: namedStore(store, io),
    store: await storeSight(storeFile(store, io)),
  };
}

async function storeSight(file: string | undefined): Promise<StoreSight> {
  if (file === undefined) return { kind: "memory" };
  const folder = placeOf(dirname(file));
  const freeBytes = freeBytesAt(dirname(file));
  const found = placeOf(file);
  if (found === undefined || folder === undefined) return { kind: "missing", file, folder, freeBytes };
  const beside = [placeOf(`${file}-wal`), placeOf(`${file}-shm`)].filter((place) => place !== undefined);
  const token = placeOf(tokenFileOf(file));
  return { kind: "kept", files: [found, ...beside], token, folder, freeBytes, survey: await lookInto(file) };
}

function placeOf(path: string): Place | undefined {
  const stats = orFileError(path, (): Stats | undefined => statSync(path, { throwIfNoEntry: false }));
  return stats && { path, mode: stats.mode & 0o7777, uid: stats.uid };
}

/** Of the folder, or of the nearest one above it that is there. */
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
