import type { KnownAgent } from "@plenary/client";
import type { Colours } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { truncate } from "../output/truncate.ts";
import { markOf, nameOf, speechOf } from "./agent-table.ts";

/** One agent's identity, health, manifest and quirks. */
export function reportOf(agent: KnownAgent, colours: Colours): string {
  const { serviceUrl, health } = agent;
  const lines = [
    `${markOf(agent, colours)} ${colours.bold(truncate(nameOf(agent), 60))}  ${colours.dim(printable(serviceUrl))}`,
    ...(health === "answering" ? answeringOf(agent) : troubleOf(agent, colours)),
    ...manifestOf(agent),
    ...quirksOf(agent.quirks, colours),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function answeringOf({ latencyMs, dialect, isConnected, isHosted }: KnownAgent): string[] {
  const took = latencyMs === undefined ? "answered" : `answered in ${latencyMs.last} ms`;
  const usually = latencyMs === undefined || latencyMs.of < 2 ? "" : ` (p50 ${latencyMs.p50}, p95 ${latencyMs.p95})`;
  const speaks = dialect === undefined ? [] : [`speaks ${speechOf(dialect)}`];
  const where = isConnected ? ["connected by WebSocket"] : isHosted ? ["hosted by this floor"] : [];
  return [`  ${[`${took}${usually}`, ...speaks, ...where].join(", ")}`];
}

function troubleOf(agent: KnownAgent, colours: Colours): string[] {
  const { health, trouble, since, failuresInARow, lastAnsweredAt } = agent;
  const detail = trouble === undefined ? "" : `: ${trouble.detail}`;
  const times = failuresInARow > 1 ? `${failuresInARow} times in a row, since ${minuteOf(since)}` : undefined;
  const before = lastAnsweredAt === undefined ? "it never answered" : `it last answered ${minuteOf(lastAnsweredAt)}`;
  return [
    `  ${colours.red(printable(`${health}${detail}`))}`,
    `  ${[...(times === undefined ? [] : [times]), before].join("; ")}`,
    `  ${colours.cyan("fix:")} ${printable(fixFor(agent))}`,
  ];
}

function minuteOf(time: string): string {
  return printable(`${time.slice(0, 16)}Z`);
}

const listedMax = 12;
const columnsMax = 100;

function manifestOf({ manifest, manifestBytes, health }: KnownAgent): string[] {
  if (manifest === undefined) {
    if (manifestBytes !== undefined) {
      return [field("manifest", `not stored: it has ${manifestBytes} bytes, the limit is 65536`)];
    }
    return health === "answering"
      ? [field("manifest", "none: the answer to getManifests had no readable manifest")]
      : [];
  }
  const { identification, capabilities } = manifest;
  const { organization, synopsis, speakerUri, openFloorRoles = {} } = identification;
  const all = (list: (capability: (typeof capabilities)[number]) => readonly string[]) => [
    ...new Set(capabilities.flatMap(list)),
  ];
  const roles = Object.keys(openFloorRoles).filter((role) => openFloorRoles[role] === true);
  const layers = (way: "input" | "output") => all(({ supportedLayers }) => supportedLayers?.[way] ?? []).join(", ");
  const [hears, speaks] = [layers("input"), layers("output")];
  const fields: Record<string, string> = {
    organization,
    synopsis,
    speakerUri,
    roles: listed(roles),
    keyphrases: listed(all(({ keyphrases }) => keyphrases)),
    languages: listed(all(({ languages }) => languages ?? [])),
    layers: hears === "" && speaks === "" ? "" : `${hears || "-"} in, ${speaks || "-"} out`,
  };
  return Object.entries(fields).flatMap(([name, value]) => (value.trim() === "" ? [] : [field(name, value)]));
}

function listed(words: readonly string[]): string {
  const more = words.length > listedMax ? `, and ${words.length - listedMax} more` : "";
  return `${words.slice(0, listedMax).join(", ")}${more}`;
}

function field(name: string, value: string): string {
  return `  ${name.padEnd(12)} ${truncate(printable(value), columnsMax)}`;
}

type KnownQuirk = KnownAgent["quirks"][number];

function quirksOf(quirks: readonly KnownQuirk[], colours: Colours): string[] {
  if (quirks.length === 0) return [];
  const heading = `  ${quirks.length} ${quirks.length === 1 ? "quirk" : "quirks"}, for its author:`;
  return [heading, ...quirks.flatMap((quirk) => quirkOf(quirk, colours))];
}

function quirkOf({ rule, says, fix, spec, count, isRepaired }: KnownQuirk, colours: Colours): string[] {
  const often = count === 1 ? "once" : `${count} times`;
  return [
    `    ${colours.yellow(`[${printable(rule)}]`)} ${printable(says)} (broken ${often}, ${isRepaired ? "repaired by the floor" : "left out by the floor"})`,
    `      ${colours.cyan("fix:")} ${printable(fix)}  ${colours.dim(printable(spec))}`,
  ];
}

const generalFix = "check the address, and that the agent is running";

const fixes: Record<string, string> = {
  "refused-url": "give a full http or https address, without user name and password",
  timeout: "find out why the agent is slow: getManifests should be answered at once",
  broken: "check that it speaks HTTP there: https instead of http, or another port?",
  redirect: "add the address it redirects to: redirects are not followed",
  "too-large": "limit its answers to 1 MiB",
  encoded: "send answers without Content-Encoding: the request did not accept any",
  "no-envelope": "answer every POST with an Open Floor envelope: plenary validate FILE checks one",
  echo: "answer with an envelope of its own: it sent the request back",
  "not-connected": "start the agent so that it connects to the floor again",
};

/** The fix for an agent that does not answer, for its author or the operator. */
export function fixFor({ trouble, serviceUrl }: Pick<KnownAgent, "trouble" | "serviceUrl">): string {
  const { code, detail } = trouble ?? { code: "", detail: "" };
  switch (code) {
    case "refused-address":
      return `if you trust it, start the floor with PLENARY_ALLOW_HOSTS=${hostAndPort(serviceUrl)}`;
    case "unreachable":
      return unreachableFix(detail);
    case "status":
      return statusFix(Number(/\d{3}/u.exec(detail)?.[0] ?? 0));
    default:
      return fixes[code] ?? generalFix;
  }
}

/** In the form of PLENARY_ALLOW_HOSTS: a default port is left out. */
function hostAndPort(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).host : "HOST:PORT";
}

/** Matches error texts of Node and OpenSSL. */
function unreachableFix(detail: string): string {
  if (/certificate|\bCERT_|self.signed|\bTLS\b|\bSSL\b|EPROTO/iu.test(detail)) {
    return "use a certificate that this machine trusts, or set NODE_EXTRA_CA_CERTS for the floor to its authority";
  }
  if (/ENOTFOUND|EAI_AGAIN|no address/u.test(detail)) return "check the host name";
  if (/ECONNREFUSED/u.test(detail)) return "start the agent, or check host and port: nothing listens there";
  return generalFix;
}

function statusFix(status: number): string {
  if (status === 401 || status === 403) return "let the agent accept envelopes from this floor";
  if (status === 404 || status === 405) return "check the path: an agent accepts POST at its serviceUrl";
  if (status === 429 || status === 503) return "try again later: the agent is busy";
  return status >= 500 ? "see the agent's log: it failed" : "see the agent's log: it refuses an envelope";
}
