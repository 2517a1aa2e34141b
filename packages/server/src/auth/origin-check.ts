import { Problem } from "../errors.ts";

export type Door = {
  /** Names beside those of loopback under which this floor may be addressed. */
  allowHosts: readonly string[];
  /** Origins, beside our own, whose pages may talk to this floor. */
  allowOrigins: readonly string[];
  /** Hears, once for each, the origin of a page that was refused and could be allowed. */
  onForeignOrigin?: (origin: string) => void;
  /** Proxies of ours that stand before this floor, each of which names whom it speaks for. */
  proxies: number;
};

/** Headers, of whatever kind of request. */
export type Heads = { get(name: string): string | null | undefined };

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** A web page elsewhere, or a name that was made to lead here, gets nothing (DNS rebinding, cross-site requests). */
export function assertPlace(headers: Heads, door: Door): void {
  assertHost(headers, door);
  if (!isForeignPage(headers, door)) return;
  const origin = headers.get("origin") ?? "";
  door.onForeignOrigin?.(origin);
  throw new Problem("forbidden-origin", { detail: `the page is from ${JSON.stringify(origin)}` });
}

/** So many are named; anybody can make up more of them. */
const originsMax = 16;

/** Names each origin once. What is no address of a page, such as the `null` of a file, has no option that allows it. */
export function oncePerOrigin(onForeignOrigin: (origin: string) => void): (origin: string) => void {
  const named = new Set<string>();
  return (origin) => {
    const isNamed = named.has(origin) || named.size >= originsMax;
    if (isNamed || !URL.canParse(origin) || new URL(origin).origin !== origin) return;
    named.add(origin);
    onForeignOrigin(origin);
  };
}

/** The same for what web pages elsewhere may use. */
export function assertHost(headers: Heads, door: Door): void {
  const host = headers.get("host") ?? "";
  const name = loopbackHost.test(host) ? "localhost" : hostnameOf(host);
  if (name !== undefined && [...loopbackNames, ...door.allowHosts].includes(name)) return;
  throw new Problem("forbidden-host", { detail: `the request was addressed to ${JSON.stringify(host)}` });
}

/** A page made the request, and it is neither our own nor one that the operator allows. */
export function isForeignPage(headers: Heads, { allowOrigins }: Door): boolean {
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
