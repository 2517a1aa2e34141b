import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { FileError } from "../errors.ts";
import type { Io } from "../io.ts";

export const memory = ":memory:";

export const defaultStore = ".plenary/floor.db";

/** The option, else the variable; an empty variable counts as not set. */
export function givenStore(store: string | undefined, { env }: Pick<Io, "env">): string | undefined {
  return store ?? (env.PLENARY_STORE?.trim() || undefined);
}

/** Undefined for the in-memory store. */
export function storeFile(store: string | undefined, { env, cwd }: Io): string | undefined {
  const named = givenStore(store, { env }) ?? defaultStore;
  if (named === memory) return undefined;
  if (/^postgres(?:ql)?:/iu.test(named)) {
    const why = "this version stores conversations in a file: give --store FILE, or :memory:";
    throw new FileError("open", "the store", "store-kind", why);
  }
  return resolve(cwd, named);
}

/** Throws a FileError for the in-memory store. */
export function persistentStoreFile(store: string | undefined, io: Io): string {
  const file = storeFile(store, io);
  if (file !== undefined) return file;
  throw new FileError("open", memory, "store-kind", "it does not outlive its process; give a file");
}

/** For readers: a misspelt name must not create an empty store. */
export function existingStoreFile(store: string | undefined, io: Io): string {
  const file = persistentStoreFile(store, io);
  if (existsSync(file)) return file;
  throw new FileError("open", file, "ENOENT", "there is no such file; give it with --store");
}

/** The file beside the store with the address of the running floor. */
function addressFileOf(file: string): string {
  return `${file}-address`;
}

/** The file stays when the floor ends: hosted agents are known by that address, so the next floor reuses the port. */
export function saveAddress(file: string, url: string): void {
  rmSync(addressFileOf(file), { force: true });
  // Exclusive: a file that another account put there meanwhile is not written to.
  writeFileSync(addressFileOf(file), `${url}\n`, { mode: 0o600, flag: "wx" });
}

/**
 * Undefined when no floor uses this store: another process may have the port by now and would receive the operator's
 * token.
 */
export async function runningFloorUrl(file: string): Promise<string | undefined> {
  const { isStoreInUse } = await import("@plenary/server");
  return isStoreInUse(file) ? lastAddress(file) : undefined;
}

/** The port of the last floor on this store. */
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
