// The operator's allow lists: hosts and ranges that may be dialled besides public https (D32), and who may sign in.
import { isIP } from "node:net";
import { type ConfigError, quoted } from "../errors.ts";
import type { Io } from "../io.ts";

type Env = Io["env"];

const itemsMax = 256;

/** `host` or `host:port`, normalized by the URL parser, as the dialler compares them. */
export function hostsIn(env: Env, errors: ConfigError[]): string[] {
  return itemsIn("PLENARY_ALLOW_HOSTS", env, { fixOf: hostFix, shown: quoted }, errors).map(hostOf);
}

function hostFix(item: string): string | undefined {
  if (item.includes("://")) return "leave the scheme and the path out, as in bot.example or bot.example:8443";
  if (item.includes("*")) return "name each host: patterns are not supported";
  if (isIP(item) === 6) return `put an IPv6 address in brackets: [${item}]`;
  if (item.includes("/")) return "give a host such as bot.example, or a range in PLENARY_ALLOW_CIDRS";
  const isHost = !/[\s?#@\\]/u.test(item) && URL.canParse(`http://${item}`) && !/:0*$/u.test(item);
  return isHost ? undefined : "give a host, or a host and a port: bot.example, bot.example:8443, [fd00::5]:8443";
}

function hostOf(item: string): string {
  // The URL parser drops a default port; here it was given on purpose.
  const [, port = ""] = /:0*(\d+)$/u.exec(item.replace(/^\[.*\]/u, "")) ?? [];
  const { hostname } = new URL(`http://${item}`);
  return `${hostname.replace(/\.$/u, "")}${port === "" ? "" : `:${port}`}`;
}

/** Address ranges such as `10.1.0.0/16`. */
export function cidrsIn(env: Env, errors: ConfigError[]): string[] {
  return itemsIn("PLENARY_ALLOW_CIDRS", env, { fixOf: rangeFix }, errors);
}

function rangeFix(item: string): string | undefined {
  const [network = "", prefix] = item.split("/");
  const family = isIP(network);
  const bits = family === 4 ? 32 : 128;
  if (family === 0 || network.includes("%") || item.split("/").length > 2) {
    return "give a range of addresses, such as 10.1.0.0/16 or fd00:1::/32; names go into PLENARY_ALLOW_HOSTS";
  }
  if (prefix === undefined) return `add the prefix length: ${network}/${bits} is that address alone`;
  if (!/^\d{1,3}$/u.test(prefix) || Number(prefix) > bits) return `give a prefix length from 0 to ${bits}`;
  // Node reads ::ffff:0:0/96 as all of IPv4.
  if (family === 6 && new URL(`http://[${network}]`).hostname.startsWith("[::ffff:"))
    return "write IPv4 as IPv4: 10.1.0.0/16";
  return undefined;
}

/** Rules for who may sign in: `*`, an email address, `@domain` or `sub:...`. */
export function signInRulesIn(env: Env, errors: ConfigError[]): string[] {
  return itemsIn("PLENARY_OIDC_ALLOW", env, { fixOf: signInFix }, errors);
}

function signInFix(item: string): string | undefined {
  const isRule = item === "*" || /^sub:./u.test(item) || /^[^\s@*]*@[^\s@*]+$/u.test(item);
  if (isRule) return undefined;
  return "give ann@example.com, @example.com for a domain, sub:ID for a subject, or * for everyone";
}

type ItemCheck = {
  /** Undefined for a valid item. */
  fixOf: (item: string) => string | undefined;
  shown?: (item: string) => string;
};

/** The valid items of a comma-separated list. */
function itemsIn(
  name: string,
  env: Env,
  { fixOf, shown = JSON.stringify }: ItemCheck,
  errors: ConfigError[],
): string[] {
  const items = (env[name] ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
  if (items.length > itemsMax) {
    errors.push({ name, problem: `has ${items.length} items`, fix: `give at most ${itemsMax}` });
    return [];
  }
  return items.filter((item) => {
    const fix = fixOf(item);
    if (fix !== undefined) errors.push({ name, problem: `has ${shown(item)}`, fix });
    return fix === undefined;
  });
}
