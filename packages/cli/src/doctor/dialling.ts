import { BlockList, isIP } from "node:net";
import type { Configuration } from "../config/configuration.ts";
import { type Finding, type Inspection, ok, unsafe, warning } from "./findings.ts";

/** Cloud metadata services, which give keys to every process on the machine. */
const metadataAddresses = [
  ...["169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192"],
  "fd00:ec2::254",
];
const metadataNames = ["metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"];

type Block = { first: string; last: string; what: string };

const loopback: Block = { first: "127.0.0.0", last: "127.255.255.255", what: "this machine" };

const privateBlocks: readonly Block[] = [
  { first: "10.0.0.0", last: "10.255.255.255", what: "10.0.0.0/8" },
  { first: "172.16.0.0", last: "172.31.255.255", what: "172.16.0.0/12" },
  { first: "192.168.0.0", last: "192.168.255.255", what: "192.168.0.0/16" },
  { first: "100.64.0.0", last: "100.127.255.255", what: "100.64.0.0/10" },
  { first: "169.254.0.0", last: "169.254.255.255", what: "169.254.0.0/16" },
  { first: "fc00::", last: "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", what: "fc00::/7" },
  { first: "fe80::", last: "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", what: "fe80::/10" },
];

/** A client that may invite chooses the address, so every allowed range is open to it. */
export function checkDialling({ configured }: Inspection): Finding[] {
  if (!configured.ok) return [];
  const { configuration } = configured;
  return [checkRanges(configuration), checkHosts(configuration)].flat();
}

function checkRanges({ allowCidrs, mode }: Configuration): Finding[] {
  const id = "dial-ranges";
  const blocks = mode === "production" ? [...privateBlocks, loopback] : privateBlocks;
  const found = allowCidrs.map((cidr) => checkRange(id, cidr, blocks)).filter((finding) => finding !== undefined);
  return found.length > 0 ? found : [ok(id, "no risky address range is allowed")];
}

const narrower = "list the hosts and ports you need in PLENARY_ALLOW_HOSTS, and remove it from PLENARY_ALLOW_CIDRS";

function checkRange(id: string, cidr: string, blocks: readonly Block[]): Finding | undefined {
  const range = rangeOf(cidr);
  if (/\/0+$/u.test(cidr)) {
    return unsafe(
      id,
      `${cidr} allows every address: anyone who can invite agents can reach all that this machine can`,
      narrower,
    );
  }
  const metadata = metadataAddresses.find((address) => isIn(range, address));
  if (metadata !== undefined) {
    return unsafe(id, `${cidr} allows ${metadata}, a cloud metadata service with the keys of this machine`, narrower);
  }
  const whole = blocks.find(({ first, last }) => isIn(range, first) && isIn(range, last));
  if (whole !== undefined) {
    return unsafe(
      id,
      `${cidr} allows all of ${whole.what}: anyone who can invite agents can call every service there`,
      narrower,
    );
  }
  const network = cidr.split("/")[0] ?? "";
  const part = blocks.find(({ first, last }) => isBetween(network, first, last));
  if (part === undefined) return undefined;
  return warning(
    id,
    `${cidr} allows a part of ${part.what}: anyone who can invite agents can call every service there`,
    narrower,
  );
}

function checkHosts({ allowHosts, mode }: Configuration): Finding[] {
  const id = "dial-hosts";
  const metadata = allowHosts.filter((host) => isMetadata(hostnameIn(host)));
  const plain = mode === "production" ? allowHosts.filter((host) => !metadata.includes(host) && isPlain(host)) : [];
  const found = [
    ...metadata.map((host) => {
      const what = `${host} is a cloud metadata service with the keys of this machine, and it may be called`;
      return unsafe(id, what, "remove it from PLENARY_ALLOW_HOSTS");
    }),
    ...plain.map((host) => {
      const what = `${host} may be called by plain http: its messages can be read in transit`;
      return warning(id, what, `write ${host.replace(/:80$/u, "")}:443 in PLENARY_ALLOW_HOSTS`);
    }),
  ];
  return found.length > 0 ? found : [ok(id, `${allowHosts.length} hosts may be called besides public ones`)];
}

/** Without a port the default ports of http and https are allowed. */
function isPlain(host: string): boolean {
  return host.endsWith(":80") || !/:\d+$/u.test(host.replace(/^\[.*\]/u, ""));
}

function hostnameIn(host: string): string {
  return host.startsWith("[") ? host.slice(1, host.indexOf("]")) : host.replace(/:\d+$/u, "");
}

function isMetadata(hostname: string): boolean {
  return metadataNames.includes(hostname.toLowerCase()) || isAmong(metadataAddresses, hostname);
}

function isAmong(addresses: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const one of addresses) list.addAddress(one, familyOf(one));
  return isIP(address) !== 0 && isIn(list, address);
}

function rangeOf(cidr: string): BlockList {
  const [network = "", prefix = ""] = cidr.split("/");
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), familyOf(network));
  return list;
}

function isBetween(address: string, first: string, last: string): boolean {
  if (familyOf(address) !== familyOf(first)) return false;
  const list = new BlockList();
  list.addRange(first, last, familyOf(first));
  return isIn(list, address);
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
