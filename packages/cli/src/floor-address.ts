import { readFileSync, rmSync, writeFileSync } from "node:fs";

/** Beside the store: where the process that has it open is reached from this machine. */
function addressFileOf(file: string): string {
  return `${file}-address`;
}

export function keepAddress(file: string, url: string): void {
  writeFileSync(addressFileOf(file), `${url}\n`, { mode: 0o600 });
}

export function forgetAddress(file: string): void {
  rmSync(addressFileOf(file), { force: true });
}

/**
 * Undefined when no floor is running on this store: an address that a dead one left behind may be somebody else's by now,
 * who would be handed the operator's token.
 */
export async function addressIn(file: string): Promise<string | undefined> {
  const { isStoreInUse } = await import("@plenary/server");
  if (!isStoreInUse(file)) return undefined;
  try {
    return readFileSync(addressFileOf(file), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
