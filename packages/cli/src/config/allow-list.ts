// The operator's allow lists: hosts and ranges that may be dialled besides public https (D32), and who may sign in.
import { isIP } from "node:net";
import { type ConfigError, quoted } from "../errors.ts";

const itemsMax = 256;

/** `host` or `host:port`, normalized by the URL parser, as the dialler compares them. */
export function hostsIn(text: string | undefined, errors: ConfigError[]): string[] {
  const name = "PLENARY_ALLOW_HOSTS";
  return itemsIn(name, text, errors).flatMap((item) => {
    const fix = hostFix(item);
    if (fix === undefined) return [hostOf(item)];
    errors.push({ name, problem: `has ${quoted(item)}`, fix });
    return [];
  });
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
export function cidrsIn(text: string | undefined, errors: ConfigError[]): string[] {
  const name = "PLENARY_ALLOW_CIDRS";
  return itemsIn(name, text, errors).flatMap((item) => {
    const fix = rangeFix(item);
    if (fix === undefined) return [item];
    errors.push({ name, problem: `has ${JSON.stringify(item)}`, fix });
    return [];
  });
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
export function signInRulesIn(text: string | undefined, errors: ConfigError[]): string[] {
  const name = "PLENARY_OIDC_ALLOW";
  const items = itemsIn(name, text, errors);
  for (const item of items.filter((one) => !isSignInRule(one))) {
    const fix = "give ann@example.com, @example.com for a domain, sub:ID for a subject, or * for everyone";
    errors.push({ name, problem: `has ${JSON.stringify(item)}`, fix });
  }
  return items;
}

function isSignInRule(item: string): boolean {
  return item === "*" || /^sub:./u.test(item) || /^[^\s@*]*@[^\s@*]+$/u.test(item);
}

function itemsIn(name: string, text: string | undefined, errors: ConfigError[]): string[] {
  const items = (text ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
  if (items.length <= itemsMax) return items;
  errors.push({ name, problem: `has ${items.length} items`, fix: `give at most ${itemsMax}` });
  return [];
}
