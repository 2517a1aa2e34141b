import { BlockList, isIP } from "node:net";
import type { Configuration } from "../../config/configuration.ts";
import { type Finding, type Inspection, ok, unsafe, warning } from "../findings.ts";

/** Cloud metadata services, which give keys to every process on the machine. */
const metadataAddresses = [
  ...["169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192"],
  "fd00:ec2::254",
];
const metadataNames = ["metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"];

const thisMachine = "127.0.0.0/8";

const privateRanges = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "169.254.0.0/16",
  "fc00::/7",
  "fe80::/10",
];

/** A client that may invite chooses the address, so every allowed range is open to it. */
export function checkDialling({ configured }: Inspection): Finding[] {
  if (!configured.ok) return [];
  const { configuration } = configured;
  return [checkRanges(configuration), checkHosts(configuration)].flat();
}

function checkRanges({ allowCidrs, mode }: Configuration): Finding[] {
  const id = "dial-ranges";
  const inside = mode === "production" ? [...privateRanges, thisMachine] : privateRanges;
  const found = allowCidrs.map((cidr) => checkRange(id, cidr, inside)).filter((finding) => finding !== undefined);
  return found.length > 0 ? found : [ok(id, "no risky address range is allowed")];
}

const narrower = "list the hosts and ports you need in PLENARY_ALLOW_HOSTS, and remove it from PLENARY_ALLOW_CIDRS";

function checkRange(id: string, cidr: string, inside: readonly string[]): Finding | undefined {
  const { network, prefix, list } = rangeOf(cidr);
  const everyone = "anyone who can invite agents can";
  if (prefix === 0)
    return unsafe(id, `${cidr} allows every address: ${everyone} reach all that this machine can`, narrower);
  const metadata = metadataAddresses.find((address) => isIn(list, address));
  if (metadata !== undefined) {
    return unsafe(id, `${cidr} allows ${metadata}, a cloud metadata service with the keys of this machine`, narrower);
  }
  const reach = `${everyone} call every service there`;
  const blocks = inside.map((block) => ({ what: block === thisMachine ? "this machine" : block, ...rangeOf(block) }));
  const whole = blocks.find((block) => prefix <= block.prefix && isIn(list, block.network));
  if (whole !== undefined) return unsafe(id, `${cidr} allows all of ${whole.what}: ${reach}`, narrower);
  const part = blocks.find((block) => isIn(block.list, network));
  return part && warning(id, `${cidr} allows a part of ${part.what}: ${reach}`, narrower);
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
  if (isIP(hostname) === 0) return metadataNames.includes(hostname.toLowerCase());
  const list = new BlockList();
  for (const address of metadataAddresses) list.addAddress(address, familyOf(address));
  return isIn(list, hostname);
}

function rangeOf(cidr: string) {
  const [network = "", length = ""] = cidr.split("/");
  const prefix = Number(length);
  const list = new BlockList();
  list.addSubnet(network, prefix, familyOf(network));
  return { network, prefix, list };
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
