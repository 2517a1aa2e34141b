import type { KnownAgent } from "@plenary/client";
import stringWidth from "string-width";
import type { Colours } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { truncate } from "../output/truncate.ts";

const heads = ["", "NAME", "HEALTH", "P50/P95", "SPEAKS", "QUIRKS", "ADDRESS"];

/** One line per agent, in columns, without control characters. */
export function tableOf(agents: readonly KnownAgent[], colours: Colours, health?: string): string {
  if (agents.length === 0) {
    return health === undefined
      ? "This floor knows no agents yet. Add one: plenary agents add URL\n"
      : `No known agent is ${health}.\n`;
  }
  const rows = [heads, ...agents.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ""))));
  const lines = rows.map((row, at) => {
    const agent = agents[at - 1];
    const cells = row.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell)));
    const [mark = "", ...others] = cells;
    return `${agent === undefined ? mark : markOf(agent, colours)} ${others.join("  ").trimEnd()}\n`;
  });
  return lines.join("");
}

function cellsOf(agent: KnownAgent): string[] {
  const { latencyMs, dialect, quirks, serviceUrl } = agent;
  return [
    marks[agent.health],
    truncate(nameOf(agent), 32),
    truncate(healthOf(agent), 56),
    latencyMs === undefined ? "-" : `${latencyMs.p50}/${latencyMs.p95} ms`,
    dialect === undefined ? "-" : speechOf(dialect),
    quirks.length === 0 ? "-" : String(quirks.length),
    printable(serviceUrl),
  ];
}

const marks = { answering: "●", silent: "○", failing: "✗" } as const;

export function markOf({ health }: KnownAgent, colours: Colours): string {
  const colour = { answering: colours.green, silent: colours.dim, failing: colours.red }[health];
  return colour(marks[health]);
}

export function nameOf({ manifest, serviceUrl }: KnownAgent): string {
  return printable(manifest?.identification.conversationalName.trim() || hostOf(serviceUrl));
}

function hostOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).host : serviceUrl;
}

function healthOf({ health, trouble, isConnected, isHosted }: KnownAgent): string {
  if (trouble !== undefined) return printable(`${health}: ${trouble.detail}`);
  if (isConnected) return `${health}, connected`;
  return isHosted ? `${health}, hosted here` : health;
}

export function speechOf(dialect: NonNullable<KnownAgent["dialect"]>): string {
  return dialect === "0.9" ? "OVON 0.9" : `OFP ${dialect}`;
}
