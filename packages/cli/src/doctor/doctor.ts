import type { ExitCode, Io } from "../io.ts";
import { type Colours, coloursFor } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { diagnose } from "./diagnose.ts";
import type { Finding, Level } from "./findings.ts";
import { inspect } from "./inspect.ts";

export type DoctorOptions = { host: string; store?: string; verbose: boolean; json: boolean };

/** Prints what is unsafe in this installation, and how to fix it. */
export async function doctor({ verbose, json, ...where }: DoctorOptions, io: Io): Promise<ExitCode> {
  const findings = diagnose(await inspect(where, io));
  const text = json
    ? findings.map((finding) => `${JSON.stringify(finding)}\n`).join("")
    : report(findings, verbose, coloursFor(io.stdout, io.env));
  await io.stdout.write(text);
  return findings.some(({ level }) => level === "unsafe") ? 1 : 0;
}

function report(findings: readonly Finding[], verbose: boolean, colours: Colours): string {
  // A missing or in-memory store is always shown, although it is ok.
  const shown = findings.filter(({ id, level }) => verbose || level !== "ok" || id === "store");
  return [...shown.map((finding) => paragraphOf(finding, colours)), totalOf(findings, verbose)].join("");
}

const indent = " ".repeat("warning  ".length);

function paragraphOf(finding: Finding, colours: Colours): string {
  const { id, level, what } = finding;
  const colour = { ok: colours.green, warning: colours.yellow, unsafe: colours.red }[level];
  const fix = finding.level === "ok" ? "" : `${indent}${colours.cyan("fix:")} ${printable(finding.fix)}\n`;
  return `${colours.bold(colour(level.padEnd(indent.length)))}${id}: ${printable(what)}\n${fix}`;
}

function totalOf(findings: readonly Finding[], verbose: boolean): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const warnings = count("warning");
  const more = verbose || count("ok") === 0 ? "" : " (--verbose shows them)";
  return `${count("unsafe")} unsafe, ${warnings} warning${warnings === 1 ? "" : "s"}, ${count("ok")} ok${more}\n`;
}
