import { resolve } from "node:path";
import { FileError } from "./file-error.ts";
import type { Io } from "./io.ts";

export const memory = ":memory:";

/** Where conversations are kept when nobody says otherwise. */
export const defaultStore = ".plenary/floor.db";

/** A file, unless it stays in memory. */
export function storeFile(store: string | undefined, { env, cwd }: Io): string | undefined {
  const named = store ?? env.PLENARY_STORE ?? defaultStore;
  if (named === memory) return undefined;
  if (/^postgres(?:ql)?:/iu.test(named)) {
    const why = "this version keeps conversations in a file: give --store FILE, or :memory:";
    throw new FileError("open", "the store", "store-kind", why);
  }
  return resolve(cwd, named);
}
