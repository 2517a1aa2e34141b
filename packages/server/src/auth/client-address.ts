import { isIPv4, isIPv6 } from "node:net";
import type { Door, Heads } from "./origin-check.ts";

type Incoming = { socket: { remoteAddress?: string | undefined }; headers: Readonly<Record<string, unknown>> };

/** Where a request comes from: what the outermost of our own proxies says, and nobody before it. */
export function addressOf({ socket, headers }: Incoming, { proxies }: Door): string {
  const direct = socket.remoteAddress ?? "unknown";
  if (proxies === 0) return direct;
  const named = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return named.at(-proxies) ?? named[0] ?? direct;
}

/** Whoever has one address of IPv6 has all of its /64. A proxy may write the port beside it. */
export function addressKey(address: string): string {
  const bare = /^\[(.*)\](?::\d{1,5})?$/u.exec(address)?.[1] ?? /^([\d.]+):\d{1,5}$/u.exec(address)?.[1] ?? address;
  const [ip = ""] = bare.split("%");
  if (isIPv4(ip)) return ip;
  // What is no address is a name of our own, or of our own proxy's making.
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

/** The eight numbers of an address of IPv6, which the parser of URLs writes in one way only. */
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

/** Of proxies that have no reason to stand between two programs of one machine. */
const proxyHeaders = ["forwarded", "via", "cf-connecting-ip", "true-client-ip"];

/** Where nobody but this machine gets to: it listens on loopback, no proxy speaks for others, and the caller is here. */
export function isLocal(
  { url, door, isOnLoopback }: { url: () => string; door: Pick<Door, "proxies">; isOnLoopback: () => boolean },
  { headers, address }: { headers: Heads; address: string },
): boolean {
  // A proxy on this machine that is not in the configuration sends its own Host, or a header with the address of its client.
  const listed = (name: string) => (headers.get(name) ?? "").split(",").map((one) => one.trim());
  const names = [headers.get("host") ?? "", ...listed("x-forwarded-host").filter((one) => one !== "")];
  const areNamesHere = names.every((name) => isLoopbackUrl(`http://${name}`));
  const callers = [address, ...listed("x-forwarded-for"), ...listed("x-real-ip")];
  const areHere = callers.every((one) => one === "" || isLoopback(one.replace(/^::ffff:/iu, "")));
  const isSpokenFor = proxyHeaders.some((name) => (headers.get(name) ?? "") !== "");
  return isOnLoopback() && isLoopbackUrl(url()) && door.proxies === 0 && areNamesHere && areHere && !isSpokenFor;
}
