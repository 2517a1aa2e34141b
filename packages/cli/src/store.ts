import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { FloorStore } from "@plenary/server";
import { FileError } from "./file-error.ts";

export async function openStore(file: string | undefined): Promise<FloorStore> {
  const { createMemoryStore, createSqliteStore, StoreError } = await import("@plenary/server");
  if (file === undefined) return createMemoryStore();
  try {
    ownFolder(file);
    const store = createSqliteStore(file);
    // What people said to each other is for whoever runs the floor, not for every account on the machine.
    for (const part of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(part)) chmodSync(part, 0o600);
    return store;
  } catch (cause) {
    const why = cause instanceof StoreError ? cause.message : systemWords(cause);
    const code = cause instanceof StoreError ? cause.code : "store-open";
    throw new FileError("open", file, code, `${why}; stop what uses it, or give --store another file`, cause);
  }
}

function systemWords(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** The operator's token stays the same as long as the store does: agents and pages come back after a restart. */
export function keptToken(file: string | undefined, create: () => string): string | undefined {
  if (file === undefined) return undefined;
  const place = `${file}-token`;
  if (existsSync(place)) return readFileSync(place, "utf8").trim();
  ownFolder(file);
  const token = create();
  writeFileSync(place, `${token}\n`, { mode: 0o600 });
  return token;
}

function ownFolder(file: string): void {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}
