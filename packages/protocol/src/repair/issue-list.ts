import { rules } from "../rules/rules.ts";
import type { Issue, More } from "./issue.ts";
import type { Reader } from "./shape.ts";

/** So many issues of a document are listed; the rest is counted. */
export const issuesMax = 100;

export const noMore = (): More => ({ count: 0, rule: undefined, severity: "warning", fatal: undefined });

export function isFull({ issues, issuesMax }: Pick<Reader, "issues" | "issuesMax">): boolean {
  return issues.length >= issuesMax;
}

/** The list as it is handed out: where it is cut, the issue that refuses the document is in it, and the last one says so. */
export function listOf({ issues, more }: Reader): Issue[] {
  const { count, rule, severity } = more;
  if (rule === undefined) return issues;
  const fatal = more.fatal === undefined || issues.some(({ repaired }) => !repaired) ? [] : [more.fatal.listed()];
  const { spec, says } = rules[rule];
  const problem = `of ${issues.length + count} issues or more ${issues.length + fatal.length} are listed; the next: ${says}`;
  const fix = "mend those that are listed; `plenary validate FILE` lists all";
  return [...issues, ...fatal, { path: "", problem, fix, rule, spec, severity, repaired: true }];
}
