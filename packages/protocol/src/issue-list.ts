import type { Issue } from "./issue.ts";
import { type RuleId, rules } from "./rules.ts";
import type { Reader } from "./shape.ts";

/** So many issues of a document are listed; the rest is counted. */
export const issuesMax = 100;

/** An unrepaired issue beyond the list. It is put into words only if it refuses the document, or an event. */
export type Fatal = { rule: RuleId; listed: () => Issue };

/** What was found beyond the list. `fatal`: the first issue that was not repaired, of the part that is looked at. */
export type More = {
  count: number;
  /** Of the first one. */
  rule: RuleId | undefined;
  /** The worst. */
  severity: Issue["severity"];
  fatal: Fatal | undefined;
};

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
