import { rules } from "../rules/rules.ts";
import type { Issue, More } from "./issue.ts";
import type { ParseState } from "./shape.ts";

/** Limit of listed issues; the others are counted. */
export const issuesMax = 100;

export const noMore = (): More => ({ count: 0, rule: undefined, severity: "warning", fatal: undefined });

export function isFull({ issues, issuesMax }: Pick<ParseState, "issues" | "issuesMax">): boolean {
  return issues.length >= issuesMax;
}

/** The final list. A cut list contains the issue that refuses the document, and a last one with the total. */
export function listOf({ issues, more }: ParseState): Issue[] {
  const { count, rule, severity } = more;
  if (rule === undefined) return issues;
  const fatal = more.fatal === undefined || issues.some(({ repaired }) => !repaired) ? [] : [more.fatal.listed()];
  const { spec, says } = rules[rule];
  const problem = `of ${issues.length + count} issues or more ${issues.length + fatal.length} are listed; the next: ${says}`;
  const fix = "fix the listed ones first; `plenary validate FILE` lists all";
  return [...issues, ...fatal, { path: "", problem, fix, rule, spec, severity, repaired: true }];
}
