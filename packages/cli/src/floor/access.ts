import type { HostClient } from "@plenary/client";
import { isLoopbackUrl } from "@plenary/server";
import { FloorError } from "../errors.ts";
import type { ExitCode, Io } from "../io.ts";
import { runningFloorUrl, storeFile } from "../store/location.ts";
import { readToken } from "../store/store.ts";

/** The options that select a floor. */
export type FloorOptions = {
  /** The address; default: the floor that runs on the store. */
  floor?: string;
  store?: string;
};

/** A running floor, with the operator's token or a key. Throws a FloorError when there is no floor or no token. */
export async function reachFloor(options: FloorOptions, io: Io): Promise<HostClient> {
  const place = await locateFloor(options, io);
  const { createHostClient } = await import("@plenary/client");
  return createHostClient(place);
}

/** Calls `work` with a running floor, and closes the client after it. */
export async function withFloor(
  options: FloorOptions,
  io: Io,
  work: (floor: HostClient) => Promise<ExitCode>,
): Promise<ExitCode> {
  const floor = await reachFloor(options, io);
  try {
    return await work(floor);
  } finally {
    await floor.close();
  }
}

/** The address given as an option or in the environment. */
export function givenFloorUrl({ floor }: FloorOptions, { env }: Pick<Io, "env">): string | undefined {
  return floor ?? (env.PLENARY_URL?.trim() || undefined);
}

export type LocatedFloor = { url: string; token: string };

/** The address of the floor and the token for it. Throws a FloorError when there is none. */
export async function locateFloor(options: FloorOptions, io: Io): Promise<LocatedFloor> {
  const file = storeFile(options.store, io);
  const url = givenFloorUrl(options, io) ?? (file && (await runningFloorUrl(file)));
  if (url === undefined) throw FloorError.notRunning(file);
  const token = io.env.PLENARY_TOKEN?.trim() || (await tokenFor(url, { file, isNamed: options.store !== undefined }));
  if (token === undefined || token === "") throw FloorError.noToken(url);
  return { url: trustedUrl(url, io), token };
}

/** The token beside a store is only sent to that store's floor, unless `--store` was given explicitly. */
async function tokenFor(url: string, { file, isNamed }: { file: string | undefined; isNamed: boolean }) {
  if (file === undefined) return undefined;
  const isItsOwn = isNamed || (await runningFloorUrl(file)) === url.replace(/\/+$/u, "");
  return isItsOwn ? readToken(file) : undefined;
}

/** The token is sent there, so plain http is refused beyond this machine. */
function trustedUrl(text: string, { env }: Pick<Io, "env">): string {
  if (!URL.canParse(text)) throw FloorError.badAddress(text, "it is not a URL, such as http://127.0.0.1:7536");
  const url = new URL(text);
  const isPlain = url.protocol === "http:";
  if (!isPlain && url.protocol !== "https:") throw FloorError.badAddress(text, "it must start with http: or https:");
  if (isPlain && !isLoopbackUrl(text) && env.PLENARY_INSECURE_HTTP !== "1") {
    const why = "the token would be sent unencrypted; use https:, or set PLENARY_INSECURE_HTTP=1";
    throw FloorError.badAddress(text, why);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/u, "");
}
