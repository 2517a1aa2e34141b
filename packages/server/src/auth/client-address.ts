import { isIPv4, isIPv6 } from "node:net";
import { canonicalAddress } from "@plenary/protocol";
import type { Binding } from "../ports/lookups.ts";
import { speakerIn } from "../ports/speaker-uri.ts";
import type { HeaderReader, OriginPolicy } from "./origin-check.ts";

type Incoming = { socket: { remoteAddress?: string | undefined }; headers: Readonly<Record<string, unknown>> };

/** The address of the client: the entry of our outermost proxy in X-Forwarded-For; earlier entries are not trusted. */
export function addressOf({ socket, headers }: Incoming, { proxies }: OriginPolicy): string {
  const direct = socket.remoteAddress ?? "unknown";
  if (proxies === 0) return direct;
  const named = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return named.at(-proxies) ?? named[0] ?? direct;
}

/** The key for rate limits. A client with one IPv6 address has its whole /64. A proxy may append the port. */
export function addressKey(address: string): string {
  const bare = /^\[(.*)\](?::\d{1,5})?$/u.exec(address)?.[1] ?? /^([\d.]+):\d{1,5}$/u.exec(address)?.[1] ?? address;
  const [ip = ""] = bare.split("%");
  if (isIPv4(ip)) return ip;
  // Any other text is a name set by the floor or by its own proxy.
  return isIPv6(ip) ? networkOf(groupsOf(ip)) : address.slice(0, keyMax);
}

const keyMax = 64;

function networkOf(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The eight groups of an IPv6 address, normalized by the URL parser. */
function groupsOf(ip: string): number[] {
  const [head = "", tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split("::");
  const read = (part = "") => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [first, last] = [read(head), read(tail)];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/u.test(host);
}

/** A service on this machine. */
export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname.replace(/^\[|\]$/gu, ""));
}

/** Headers of proxies, which do not stand between two programs of one machine. */
const proxyHeaders = ["forwarded", "via", "cf-connecting-ip", "true-client-ip"];

type LocalFloor = { url: string; originPolicy: Pick<OriginPolicy, "proxies">; isOnLoopback: boolean };

/** Whether floor and caller are on this machine: loopback addresses, and no proxy. */
export function isLocal(
  { url, originPolicy, isOnLoopback }: LocalFloor,
  { headers, address }: { headers: HeaderReader; address: string },
): boolean {
  // An unconfigured proxy on this machine sends its own Host, or a header with the address of its client.
  const listed = (name: string) => (headers.get(name) ?? "").split(",").map((one) => one.trim());
  const names = [headers.get("host") ?? "", ...listed("x-forwarded-host").filter((one) => one !== "")];
  const areNamesHere = names.every((name) => isLoopbackUrl(`http://${name}`));
  const callers = [address, ...listed("x-forwarded-for"), ...listed("x-real-ip")];
  const areHere = callers.every((one) => one === "" || isLoopback(one.replace(/^::ffff:/iu, "")));
  const hasProxyHeader = proxyHeaders.some((name) => (headers.get(name) ?? "") !== "");
  return isOnLoopback && isLoopbackUrl(url) && originPolicy.proxies === 0 && areNamesHere && areHere && !hasProxyHeader;
}

type ListenState = {
  /** The address it listens on; undefined where only its own process calls it. */
  host?: string;
  url: string;
  allowHosts: readonly string[];
  proxies: number;
};

/** Whether only this machine reaches the floor: it listens on loopback and has no proxy. */
export function isLoopbackOnly({ host, url, allowHosts, proxies }: ListenState): boolean {
  return (
    (host === undefined || isLoopback(host)) && isLoopbackUrl(url) && proxies === 0 && allowHosts.every(isLoopback)
  );
}

/**
 * Whether an agent of this machine has only changed its port. People and hosted agents never move: their addresses belong
 * to this floor.
 */
export function isLoopbackMove({ speakerUri, serviceUrl }: Binding, boundTo: string, floorUrl: string): boolean {
  if (!isLoopbackUrl(serviceUrl) || !isLoopbackUrl(boundTo)) return false;
  if (withoutPort(serviceUrl) !== withoutPort(boundTo)) return false;
  const isRelay = speakerIn(boundTo.slice(boundTo.lastIndexOf("/") + 1)) === speakerUri;
  return !isRelay && originOf(boundTo) !== originOf(floorUrl);
}

function withoutPort(url: string): string {
  return canonicalAddress(url).replace(/^(\w+:\/\/(?:[^/?#]*@)?(?:\[[^\]]*\]|[^/:?#]*)):\d+/u, "$1");
}

/** Scheme, host and port, normalized. */
function originOf(url: string): string {
  return canonicalAddress(new URL("/", url).href);
}
