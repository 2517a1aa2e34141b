import { checkDocument, type Issue, parseEnvelope } from "@plenary/protocol";
import { expect, test } from "vitest";
import { type Flaw, mint, type NegativeCase, textOf } from "./case.ts";
import { negativeCases } from "./cases.ts";

const flawOf = ({ rule, path, severity, repaired }: Flaw): Flaw => ({ rule, path, severity, repaired });
const byPlace = (a: Flaw, b: Flaw) => `${a.path} ${a.rule}`.localeCompare(`${b.path} ${b.rule}`);
const flawsOf = (issues: readonly Flaw[]) => issues.map(flawOf).sort(byPlace);

function expectedOf(negative: NegativeCase): Flaw[] {
  return flawsOf([negative, ...(negative.also ?? [])]);
}

function isRefused(issues: readonly Issue[]): boolean {
  return issues.some(({ repaired }) => !repaired);
}

for (const negative of negativeCases) {
  test(`${negative.name} (${negative.rule})`, () => {
    const { kind, valid, issues } = checkDocument(textOf(negative), mint);
    expect(flawsOf(issues)).toEqual(expectedOf(negative));
    expect(valid).toBe(issues.every(({ severity }) => severity === "warning"));
    if (kind !== "envelope") return;
    const parsed = parseEnvelope(textOf(negative), mint);
    expect(parsed.issues).toEqual(issues);
    expect(parsed.ok).toBe(!isRefused(issues));
  });
}
