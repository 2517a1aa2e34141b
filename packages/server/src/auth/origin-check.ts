import { Problem } from "../errors.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";

export type OriginPolicy = {
  /** Allowed host names, beside those of loopback. */
  allowHosts: readonly string[];
  /** Allowed origins of pages, beside the own origin. */
  allowOrigins: readonly string[];
  /** Called with a refused origin that could be allowed. */
  onForeignOrigin?: (origin: string) => void;
  /** Number of own proxies in front of this floor, each of which adds the address of its client. */
  proxies: number;
};

/** Reads headers of any kind of request. */
export type HeaderReader = { get(name: string): string | null | undefined };

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Protects against DNS rebinding and cross-site requests. */
export function assertHostAndOrigin(headers: HeaderReader, policy: OriginPolicy): void {
  assertHost(headers, policy);
  if (!isForeignPage(headers, policy)) return;
  const origin = headers.get("origin") ?? "";
  policy.onForeignOrigin?.(origin);
  throw new Problem("forbidden-origin", { detail: `the origin ${JSON.stringify(origin)} is not allowed` });
}

/** Maximum of origins reported in a minute: a client can make up any number. */
const originsMax = 16;
const minuteMs = 60_000;

/** Reports each origin once a minute. Skips values that no option can allow, such as the `null` of a file. */
export function oncePerOrigin(
  onForeignOrigin: (origin: string) => void,
  clock: Pick<Clock, "now"> = systemClock,
): (origin: string) => void {
  const named = new Map<string, number>();
  return (origin) => {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) return;
    const now = clock.now();
    // The oldest comes first.
    for (const [one, atMs] of named) {
      if (now - atMs < minuteMs) break;
      named.delete(one);
    }
    if (named.has(origin) || named.size >= originsMax) return;
    named.set(origin, now);
    onForeignOrigin(origin);
  };
}

/** A page itself only sees a failed connection, so the operator learns how to allow it. */
export function foreignOriginLog({ logger, clock }: { logger: Logger; clock: Clock }): (origin: string) => void {
  return oncePerOrigin((origin) => {
    const fix = `if it is yours, start the floor with --allow-origin ${origin} (in code: allowOrigins)`;
    logger.warn("a web page was refused, because its origin is not allowed", { origin, fix });
  }, clock);
}

/** The same without the origin, for routes that pages of any origin may use. */
export function assertHost(headers: HeaderReader, policy: OriginPolicy): void {
  const host = headers.get("host") ?? "";
  const name = loopbackHost.test(host) ? "localhost" : hostnameOf(host);
  if (name !== undefined && [...loopbackNames, ...policy.allowHosts].includes(name)) return;
  throw new Problem("forbidden-host", { detail: `the host ${JSON.stringify(host)} is not allowed` });
}

/** Whether a page of another origin, which the operator does not allow, made the request. */
export function isForeignPage(headers: HeaderReader, { allowOrigins }: OriginPolicy): boolean {
  const origin = headers.get("origin") ?? undefined;
  if (origin === undefined || allowOrigins.includes(origin)) return false;
  const host = headers.get("host") ?? "";
  return origin !== `http://${host}` && origin !== `https://${host}`;
}

const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/u;

function hostnameOf(host: string): string | undefined {
  if (!/^[\w.:[\]-]+$/u.test(host)) return undefined;
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
