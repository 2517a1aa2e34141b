import type { Issue } from "@plenary/protocol";
import pc from "picocolors";
import type { Io, Output } from "./io.ts";
import { printable, printableInPlace } from "./printable.ts";
import type { SourcePlace } from "./source-text.ts";

export type Colours = ReturnType<typeof pc.createColors>;

/** Colours are for people who look at a terminal and have not asked for none (https://no-color.org). */
export function coloursFor(output: Output, env: Io["env"]): Colours {
  const unwanted = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  return pc.createColors(output.isTty && !unwanted);
}

/** One issue as a compiler would tell it: what, where, the line itself, the rule, the way out. */
export function renderIssue(issue: Issue, name: string, place: SourcePlace | undefined, colours: Colours): string {
  const { severity, rule, problem, path, spec, fix, repaired } = issue;
  const label = severity === "error" ? colours.red(`error[${rule}]`) : colours.yellow(`warning[${rule}]`);
  const at = place === undefined ? "" : `:${place.line}:${place.column}`;
  const pointer = path === "" ? "" : `  ${printable(path)}`;
  const gutter = " ".repeat(String(place?.line ?? 0).length + 1);
  const detail = (key: string, value: string) => `${gutter}${colours.cyan("=")} ${key}: ${printable(value)}`;
  return [
    `${colours.bold(label)}${colours.bold(`: ${printable(problem)}`)}`,
    `${gutter.slice(1)}${colours.cyan("-->")} ${printable(name)}${at}${pointer}`,
    ...(place === undefined ? [] : frame(place, gutter, severity, colours)),
    detail("fix", fix),
    detail("spec", spec),
    detail("repaired", repaired ? "yes, the document can still be used" : "no, the document is refused"),
    "",
  ].join("\n");
}

function frame(place: SourcePlace, gutter: string, severity: Issue["severity"], colours: Colours): string[] {
  const { line, excerpt, markStart, markLength } = place;
  const bar = colours.cyan("|");
  const mark = "^".repeat(markLength);
  return [
    `${colours.cyan(String(line))} ${bar} ${printableInPlace(excerpt)}`.trimEnd(),
    `${gutter}${bar} ${" ".repeat(markStart)}${severity === "error" ? colours.red(mark) : colours.yellow(mark)}`,
  ];
}
