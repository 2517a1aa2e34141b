import type { DocumentReport, Issue } from "@plenary/protocol";
import type { Colours } from "../output/format.ts";
import { printable, printableInPlace } from "../output/sanitize.ts";
import {
  createPositionFinder,
  findPositions,
  type JsonPositions,
  nearestRange,
  type Range,
  type SourcePosition,
} from "./json-position.ts";
import type { Input } from "./read-input.ts";

/** A document can have a million issues. */
export const issuesShownMax = 100;

export const kindNames = { envelope: "envelope", manifest: "manifest", dialogEvent: "dialog event" } as const;

/** The report on one document for people, the verdict last. */
export function renderReport(input: Input, report: DocumentReport, colours: Colours): string {
  return renderIssues(input, report.issues, colours) + verdict(input.name, report, colours);
}

function renderIssues(input: Input, issues: readonly Issue[], colours: Colours): string {
  if (issues.length === 0) return "";
  const shown = issues.slice(0, issuesShownMax);
  const positions = findPositions(
    input.text,
    shown.map(({ path }) => path),
  );
  const placeOf = createPositionFinder(input.text);
  const lines = shown.map((issue) => {
    const range = rangeOf(issue, input, positions);
    return `${renderIssue(issue, input.name, range && placeOf(range), colours)}\n`;
  });
  const left = issues.length - shown.length;
  const rest = left === 0 ? "" : `... and ${left} more (--json lists them all)\n`;
  return lines.join("") + rest;
}

function rangeOf(issue: Issue, input: Input, { ranges, brokenAt }: JsonPositions): Range | undefined {
  if (issue.rule === "json-syntax") {
    const start = input.notUtf8?.textOffset ?? brokenAt;
    return start === undefined ? undefined : { start, end: start + 1 };
  }
  const nearest = nearestRange(ranges, issue.path);
  if (nearest === undefined) return undefined;
  // A missing part has no length: only the start of its parent is marked.
  return nearest.isExact && issue.path !== "" ? nearest : { start: nearest.start, end: nearest.start + 1 };
}

function verdict(name: string, { kind, version, valid, issues }: DocumentReport, colours: Colours): string {
  const errors = issues.filter(({ severity }) => severity === "error").length;
  const counts = [
    ...(errors === 0 ? [] : [count(errors, "error")]),
    ...(issues.length === errors ? [] : [count(issues.length - errors, "warning")]),
  ];
  const word = valid ? colours.green("valid") : colours.red("invalid");
  // Without a version it may be anything: not JSON, or another format.
  const about = version === undefined ? "" : ` (${kindNames[kind]} ${version})`;
  return `${printable(name)}: ${[word, ...counts].join(", ")}${printable(about)}\n`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

/** One issue in the style of a compiler: problem, position, source line, fix, rule. */
export function renderIssue(issue: Issue, name: string, place: SourcePosition | undefined, colours: Colours): string {
  const { severity, rule, problem, path, spec, fix, repaired } = issue;
  const label = severity === "error" ? colours.red(`error[${rule}]`) : colours.yellow(`warning[${rule}]`);
  const at = place === undefined ? "" : `:${place.line}:${place.column}`;
  const pointer = path === "" ? "" : `  ${printable(path)}`;
  const gutter = " ".repeat(String(place?.line ?? 0).length + 1);
  const detail = (key: string, value: string) => `${gutter}${colours.cyan("=")} ${key}: ${printable(value)}`;
  return [
    `${colours.bold(label)}${colours.bold(`: ${printable(problem)}`)}`,
    `${gutter.slice(1)}${colours.cyan("-->")} ${printable(name)}${at}${pointer}`,
    ...(place === undefined ? [] : excerptLines(place, gutter, severity, colours)),
    detail("fix", fix),
    detail("spec", spec),
    detail("repaired", repaired ? "yes, the document can still be used" : "no, the document is refused"),
    "",
  ].join("\n");
}

function excerptLines(place: SourcePosition, gutter: string, severity: Issue["severity"], colours: Colours): string[] {
  const { line, excerpt, markStart, markLength } = place;
  const bar = colours.cyan("|");
  const mark = "^".repeat(markLength);
  return [
    `${colours.cyan(String(line))} ${bar} ${printableInPlace(excerpt)}`.trimEnd(),
    `${gutter}${bar} ${" ".repeat(markStart)}${severity === "error" ? colours.red(mark) : colours.yellow(mark)}`,
  ];
}
