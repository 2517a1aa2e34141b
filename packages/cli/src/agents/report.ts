import type { KnownAgent, KnownQuirk } from "@plenary/server";
import { cut } from "../columns.ts";
import { printable } from "../printable.ts";
import type { Colours } from "../render-issue.ts";
import { remedyOf } from "./remedy.ts";
import { markOf, nameOf, speechOf } from "./table.ts";

/** All that people want to know of one agent: who it is, how it is, and what its author could do better. */
export function reportOf(agent: KnownAgent, colours: Colours): string {
  const { serviceUrl, health } = agent;
  const lines = [
    `${markOf(agent, colours)} ${colours.bold(cut(nameOf(agent), 60))}  ${colours.dim(printable(serviceUrl))}`,
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
    `  ${colours.cyan("fix:")} ${printable(remedyOf(agent))}`,
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
  return `  ${name.padEnd(12)} ${cut(printable(value), columnsMax)}`;
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
