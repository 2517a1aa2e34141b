import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { FileError } from "./file-error.ts";
import type { Io } from "./io.ts";

export const memory = ":memory:";

/** Where conversations are kept when nobody says otherwise. */
export const defaultStore = ".plenary/floor.db";

/** As somebody named it; set to nothing is not set. */
export function namedStore(store: string | undefined, { env }: Pick<Io, "env">): string | undefined {
  return store ?? (env.PLENARY_STORE?.trim() || undefined);
}

/** A file, unless it stays in memory. */
export function storeFile(store: string | undefined, { env, cwd }: Io): string | undefined {
  const named = namedStore(store, { env }) ?? defaultStore;
  if (named === memory) return undefined;
  if (/^postgres(?:ql)?:/iu.test(named)) {
    const why = "this version keeps conversations in a file: give --store FILE, or :memory:";
    throw new FileError("open", "the store", "store-kind", why);
  }
  return resolve(cwd, named);
}

/** For what must outlive this process. */
export function keptFile(store: string | undefined, io: Io): string {
  const file = storeFile(store, io);
  if (file !== undefined) return file;
  throw new FileError("open", memory, "store-kind", "it ends with its process; name a file");
}

/** For what reads only: whoever misspells a name is not given an empty store. */
export function existingFile(store: string | undefined, io: Io): string {
  const file = keptFile(store, io);
  if (existsSync(file)) return file;
  throw new FileError("open", file, "ENOENT", "there is no such file; name it with --store");
}
