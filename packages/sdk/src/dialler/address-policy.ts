import { BlockList, isIP } from "node:net";

export type PolicyOptions = {
  /** local: loopback and public https. production: public https (D32). */
  mode: "local" | "production";
  /** `host` (default port of the scheme) or `host:port`, with any address, http or https. */
  allowHosts?: readonly string[];
  /** Addresses in these ranges, any port, http or https. */
  allowCidrs?: readonly string[];
};

/** The target of a connection. `host` is the output of the URL parser, without brackets. */
export type Target = { protocol: string; host: string; port: number };

/** Returns why a connection to this address is refused; undefined when it is allowed. */
export type AddressPolicy = (target: Target, address: string) => string | undefined;

// IANA special-purpose registries for IPv4 and IPv6, with multicast and the ranges that carry an IPv4 address inside.
// Without ::ffff:0:0/96, which a BlockList reads as all of IPv4. Such an address is not global unicast, so not public.
const specialRanges = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"],
  ...["203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
  // In a public range, but on every Azure machine it leads to the platform itself.
  "168.63.129.16/32",
  ...["::/96", "::1/128", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32"],
  ...["2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "ff00::/8"],
];

const special = rangesOf(specialRanges);
const loopback = rangesOf(["127.0.0.0/8", "::1/128"]);
// IANA assigns public addresses only from this range.
const globalUnicast = rangesOf(["2000::/3"]);

export function createAddressPolicy({ mode, allowHosts = [], allowCidrs = [] }: PolicyOptions): AddressPolicy {
  const hosts = new Set(allowHosts.map(withoutDot));
  const allowed = rangesOf(allowCidrs);
  return (target, address) => {
    if (isListed(hosts, target) || isIn(allowed, address)) return undefined;
    if (mode === "local" && isIn(loopback, address)) return undefined;
    if (!isPublic(address)) return `${address} is not a public address`;
    if (!isHttps(target)) return "only https is allowed for public addresses";
    return target.port === 443 ? undefined : `port ${target.port} is not the default port of https`;
  };
}

export function isAddress(host: string): boolean {
  return isIP(host) !== 0;
}

/** Compares addresses, not their spelling. */
export function isAmong(addresses: readonly string[], address: string): boolean {
  const bare = addresses.map(withoutZone);
  return isIn(rangesOf(bare.map((one) => `${one}/${isIP(one) === 4 ? 32 : 128}`)), address);
}

export function targetOf({ protocol, hostname, port }: Pick<URL, "protocol" | "hostname" | "port">): Target {
  const host = withoutDot(hostname.replace(/^\[|\]$/gu, ""));
  return { protocol, host, port: port === "" ? (isHttps({ protocol }) ? 443 : 80) : Number(port) };
}

export function isHttps({ protocol }: { protocol: string }): boolean {
  return protocol === "https:" || protocol === "wss:";
}

function isListed(hosts: ReadonlySet<string>, target: Target): boolean {
  const host = target.host.includes(":") ? `[${target.host}]` : target.host;
  const isDefaultPort = target.port === (isHttps(target) ? 443 : 80);
  return hosts.has(`${host}:${target.port}`) || (isDefaultPort && hosts.has(host));
}

function withoutDot(host: string): string {
  return host.toLowerCase().replace(/\.$/u, "");
}

function isPublic(address: string): boolean {
  if (isIn(special, address)) return false;
  return isIP(address) === 4 || isIn(globalUnicast, address);
}

function isIn(ranges: BlockList, address: string): boolean {
  const family = isIP(address);
  if (family === 4) return ranges.check(address, "ipv4");
  return family === 6 && ranges.check(withoutZone(address), "ipv6");
}

/** A zone names a network interface and is not part of the address. */
function withoutZone(address: string): string {
  return address.replace(/%.*$/u, "");
}

function rangesOf(cidrs: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", prefix = ""] = cidr.split("/");
    const family = isIP(network);
    if (family === 0 || !/^\d+$/u.test(prefix)) throw new Error(`${cidr} is not a range such as 10.0.0.0/8`);
    ranges.addSubnet(network, Number(prefix), family === 4 ? "ipv4" : "ipv6");
  }
  return ranges;
}
