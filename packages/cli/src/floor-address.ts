import { readFileSync, rmSync, writeFileSync } from "node:fs";

/** Beside the store: where the process that has it open is reached from this machine. */
function addressFileOf(file: string): string {
  return `${file}-address`;
}

/** It stays there when the floor ends: the agents that live on it are seated under it. */
export function keepAddress(file: string, url: string): void {
  rmSync(addressFileOf(file), { force: true });
  // Made here or not at all: what somebody else put there meanwhile is not written to.
  writeFileSync(addressFileOf(file), `${url}\n`, { mode: 0o600, flag: "wx" });
}

/**
 * Undefined when no floor is running on this store: an address that a dead one left behind may be somebody else's by now,
 * who would be handed the operator's token.
 */
export async function addressIn(file: string): Promise<string | undefined> {
  const { isStoreInUse } = await import("@plenary/server");
  return isStoreInUse(file) ? lastAddressIn(file) : undefined;
}

/** The port that the last floor on this store had. */
export function lastPortIn(file: string): number | undefined {
  const url = lastAddressIn(file) ?? "";
  return URL.canParse(url) ? Number(new URL(url).port) || undefined : undefined;
}

function lastAddressIn(file: string): string | undefined {
  try {
    return readFileSync(addressFileOf(file), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
