import { createLinkCheck } from "../read/link.ts";
import { type Fault, faultless } from "../repair/issue.ts";
import type { Feature, Token } from "./feature.ts";
import { isCalendarDate } from "./patterns.ts";
import type { Span } from "./span.ts";

type Features = Record<string, Feature>;

/** Limit of faults: no list of issues is longer. */
const faultsMax = 1_000;

/** Dates that do not exist, and links that do not resolve. */
export function dialogEventFaults(dialogEvent: { span: Span; features: Features }): readonly Fault[] {
  const faults: Fault[] = [];
  dateFaults(dialogEvent.span, ["span"], faults);
  const { features } = dialogEvent;
  const leads = createLinkCheck(features);
  for (const name in features) {
    const feature = features[name];
    if (feature === undefined) continue;
    for (const [index, token] of feature.tokens.entries()) {
      if (isBare(token)) continue;
      if (faults.length >= faultsMax) return faults;
      tokenFaults(token, [name, "tokens", index], leads, faults);
    }
    for (const [index, alternate] of (feature.alternates ?? []).entries()) {
      for (const [n, token] of alternate.entries()) {
        if (faults.length >= faultsMax) return faults;
        tokenFaults(token, [name, "alternates", index, n], leads, faults);
      }
    }
  }
  return faults.length === 0 ? faultless : faults;
}

/** The common case: a token with only a value needs no path. */
function isBare(token: Token): boolean {
  return token.span === undefined && token.links === undefined;
}

type Leads = (link: string) => boolean;

function tokenFaults(token: Token, at: (string | number)[], leads: Leads, faults: Fault[]): void {
  if (token.span !== undefined) dateFaults(token.span, ["features", ...at, "span"], faults);
  for (const [index, link] of (token.links ?? []).entries()) {
    if (faults.length >= faultsMax) return;
    // Another notation is reported by its pattern.
    if (!link.startsWith("$") || leads(link)) continue;
    const problem = `a link leads to a part of this event, but this one leads nowhere: ${JSON.stringify(link)}`;
    const keys = ["features", ...at, "links", index];
    faults.push({ rule: "token-link-resolves", keys, problem, severity: "warning" });
  }
}

function dateFaults(span: Span, at: (string | number)[], faults: Fault[]): void {
  for (const key of ["startTime", "endTime"] as const) {
    const time = span[key];
    if (time === undefined || isCalendarDate(time)) continue;
    const problem = `a date exists in the calendar, but "${time}" does not`;
    faults.push({ rule: "calendar-date", keys: [...at, key], problem });
  }
}
