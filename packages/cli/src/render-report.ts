import type { DocumentReport, Issue } from "@plenary/protocol";
import { findPositions, type JsonPositions, nearestRange, type Range } from "./json-position.ts";
import { printable } from "./printable.ts";
import type { Input } from "./read-input.ts";
import { type Colours, renderIssue } from "./render-issue.ts";
import { createPlaceFinder } from "./source-text.ts";

/** Nobody reads on after so many; a document can have a million. */
export const issuesShownMax = 100;

export const kindNames = { envelope: "envelope", manifest: "manifest", dialogEvent: "dialog event" } as const;

/** All that people want to know of one document, the verdict last. */
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
  const placeOf = createPlaceFinder(input.text);
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
  // What is missing has no extent: only the place where it should be is marked.
  return nearest.isExact && issue.path !== "" ? nearest : { start: nearest.start, end: nearest.start + 1 };
}

function verdict(name: string, { kind, version, valid, issues }: DocumentReport, colours: Colours): string {
  const errors = issues.filter(({ severity }) => severity === "error").length;
  const counts = [
    ...(errors === 0 ? [] : [count(errors, "error")]),
    ...(issues.length === errors ? [] : [count(issues.length - errors, "warning")]),
  ];
  const word = valid ? colours.green("valid") : colours.red("invalid");
  // Without a version it may be anything: not JSON at all, or somebody else's format.
  const about = version === undefined ? "" : ` (${kindNames[kind]} ${version})`;
  return `${printable(name)}: ${[word, ...counts].join(", ")}${printable(about)}\n`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
