import { isLoopbackUrl } from "@plenary/server";
import { FloorError } from "../errors.ts";
import type { Io } from "../io.ts";
import { runningFloorUrl, storeFile } from "../store/location.ts";
import { readToken } from "../store/store.ts";

/** The options that select a floor. */
export type FloorOptions = {
  /** The address; default: the floor that runs on the store. */
  floor?: string;
  store?: string;
};

type Request = {
  method?: "GET" | "POST" | "DELETE";
  body?: object;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
};

/** A running floor and the token to use it with: the operator's, or a key. */
export type FloorAccess = Awaited<ReturnType<typeof reachFloor>>;

const answerBytesMax = 64 * 1_048_576;

/** Throws a FloorError when there is no floor or no token. */
export async function reachFloor(options: FloorOptions, io: Io) {
  const { url, token } = await locateFloor(options, io);
  const { createDialler } = await import("@plenary/sdk");
  const { origin } = new URL(url);
  const dialler = createDialler({ mode: "local", exemptOrigins: [origin], limits: { answerBytesMax } });
  /** Throws a FloorError when the floor refuses or does not respond. */
  const text = async (path: string, { method = "GET", body, headers, signal }: Request = {}): Promise<string> => {
    const answer = await dialler
      .dial({
        url: `${url}${path}`,
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      })
      .catch((cause) => {
        throw FloorError.unreachable(url, cause);
      });
    const said = await readAll(answer.body, url);
    if (answer.status >= 400) throw FloorError.answered(url, answer.status, said);
    return said;
  };
  return {
    /** Without a trailing slash. */
    url,
    token,
    /** For sockets and streams; it may dial this floor at any address. */
    dialler,
    text,
    json: async <Answer>(path: string, request?: Request): Promise<Answer> =>
      JSON.parse((await text(path, request)) || "null"),
    close: () => dialler.close(),
  };
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

async function readAll(body: AsyncIterable<Uint8Array>, url: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of body) pieces.push(piece);
  } catch (cause) {
    throw FloorError.unreachable(url, cause);
  }
  return Buffer.concat(pieces).toString("utf8");
}
