import type { KnownAgent, KnownQuirk } from "@plenary/server";
import type { Colours } from "../output/format.ts";
import { truncate } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { markOf, nameOf, speechOf } from "./agent-table.ts";

/** All that people want to know of one agent: who it is, how it is, and what its author could do better. */
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
  const where = isConnected ? ["connected by a socket"] : isHosted ? ["lives in this floor"] : [];
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
      return [field("manifest", `not kept: it has ${manifestBytes} bytes, and 65536 are allowed`)];
    }
    return health === "answering"
      ? [field("manifest", "none: it did not answer getManifests with one that can be read")]
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

function quirksOf(quirks: readonly KnownQuirk[], colours: Colours): string[] {
  if (quirks.length === 0) return [];
  const heading = `  ${quirks.length} ${quirks.length === 1 ? "quirk" : "quirks"}, for its author:`;
  return [heading, ...quirks.flatMap((quirk) => quirkOf(quirk, colours))];
}

function quirkOf({ rule, says, fix, spec, count, isRepaired }: KnownQuirk, colours: Colours): string[] {
  const often = count === 1 ? "once" : `${count} times`;
  return [
    `    ${colours.yellow(`[${printable(rule)}]`)} ${printable(says)} (broken ${often}, ${isRepaired ? "mended here" : "left out here"})`,
    `      ${colours.cyan("fix:")} ${printable(fix)}  ${colours.dim(printable(spec))}`,
  ];
}

const generalFix = "look whether the address is right, and whether the agent runs";

const fixes: Record<string, string> = {
  "refused-url": "write a whole http or https address, without user name and password",
  timeout: "see why the agent takes so long: getManifests needs no thinking, and is answered at once",
  broken: "look whether it speaks HTTP there: https where http is written, or another port?",
  redirect: "add the address that it sends callers to: redirects are not followed",
  "too-large": "let it answer with at most 1 MiB",
  encoded: "let it answer without Content-Encoding: it was asked for none",
  "no-envelope": "let it answer every POST with an Open Floor envelope: plenary validate FILE checks one",
  echo: "let it answer with an envelope of its own: it sent the request back",
  "not-connected": "start the agent, so that it connects to the floor again",
};

/** What helps an agent that does not answer, for whoever runs it or the floor. */
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

/** As the list of allowed hosts takes it: the port where it is not the usual one. */
function hostAndPort(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).host : "HOST:PORT";
}

/** As Node and OpenSSL say it. */
function unreachableFix(detail: string): string {
  if (/certificate|\bCERT_|self.signed|\bTLS\b|\bSSL\b|EPROTO/iu.test(detail)) {
    return "give it a certificate that this machine trusts, or name its authority in NODE_EXTRA_CA_CERTS of the floor";
  }
  if (/ENOTFOUND|EAI_AGAIN|no address/u.test(detail)) return "look whether the name of the host is right";
  if (/ECONNREFUSED/u.test(detail))
    return "start the agent, or look whether host and port are right: nothing listens there";
  return generalFix;
}

function statusFix(status: number): string {
  if (status === 401 || status === 403) return "let the agent take envelopes from this floor";
  if (status === 404 || status === 405) return "look whether the path is right: an agent takes POST at its serviceUrl";
  if (status === 429 || status === 503) return "try again later: it says that it is busy";
  return status >= 500 ? "see the agent's log: it failed" : "see the agent's log: it refuses an envelope";
}
