import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { FileError } from "../errors.ts";
import type { Io } from "../io.ts";

export const memory = ":memory:";

/** Where conversations are kept when nobody says otherwise. */
export const defaultStore = ".plenary/floor.db";

/** As somebody named it; set to nothing is not set. */
export function givenStore(store: string | undefined, { env }: Pick<Io, "env">): string | undefined {
  return store ?? (env.PLENARY_STORE?.trim() || undefined);
}

/** A file, unless it stays in memory. */
export function storeFile(store: string | undefined, { env, cwd }: Io): string | undefined {
  const named = givenStore(store, { env }) ?? defaultStore;
  if (named === memory) return undefined;
  if (/^postgres(?:ql)?:/iu.test(named)) {
    const why = "this version keeps conversations in a file: give --store FILE, or :memory:";
    throw new FileError("open", "the store", "store-kind", why);
  }
  return resolve(cwd, named);
}

/** For what must outlive this process. */
export function persistentStoreFile(store: string | undefined, io: Io): string {
  const file = storeFile(store, io);
  if (file !== undefined) return file;
  throw new FileError("open", memory, "store-kind", "it ends with its process; name a file");
}

/** For what reads only: whoever misspells a name is not given an empty store. */
export function existingStoreFile(store: string | undefined, io: Io): string {
  const file = persistentStoreFile(store, io);
  if (existsSync(file)) return file;
  throw new FileError("open", file, "ENOENT", "there is no such file; name it with --store");
}

/** Beside the store: where the process that has it open is reached from this machine. */
function addressFileOf(file: string): string {
  return `${file}-address`;
}

/** It stays there when the floor ends: the agents that live on it are seated under it. */
export function saveAddress(file: string, url: string): void {
  rmSync(addressFileOf(file), { force: true });
  // Made here or not at all: what somebody else put there meanwhile is not written to.
  writeFileSync(addressFileOf(file), `${url}\n`, { mode: 0o600, flag: "wx" });
}

/**
 * Undefined when no floor is running on this store: an address that a dead one left behind may be somebody else's by now,
 * who would be handed the operator's token.
 */
export async function runningFloorUrl(file: string): Promise<string | undefined> {
  const { isStoreInUse } = await import("@plenary/server");
  return isStoreInUse(file) ? lastAddress(file) : undefined;
}

/** The port that the last floor on this store had. */
export function lastPort(file: string): number | undefined {
  const url = lastAddress(file) ?? "";
  return URL.canParse(url) ? Number(new URL(url).port) || undefined : undefined;
}

function lastAddress(file: string): string | undefined {
  try {
    return readFileSync(addressFileOf(file), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
