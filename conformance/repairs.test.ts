import { type ParsedEnvelope, parseEnvelope } from "@plenary/protocol";
import { expect, test } from "vitest";
import { at, mint, textOf } from "./case.ts";
import { repairCases } from "./cases/repairs.ts";

function accepted(document: unknown): ParsedEnvelope & { ok: true } {
  const parsed = parseEnvelope(textOf({ document }), mint);
  if (!parsed.ok) throw new Error(`refused: ${JSON.stringify(parsed.issues)}`);
  return parsed;
}

for (const { name, rule, document, becomes, leavesOut = [] } of repairCases) {
  test(`${name} (${rule})`, () => {
    const { envelope, issues } = accepted(document);
    expect(issues.map((issue) => issue.rule)).toContain(rule);
    for (const [path, value] of Object.entries(becomes)) expect(at(envelope, path)).toEqual(value);
    for (const path of leavesOut) expect(at(envelope, path)).toBeUndefined();
    const again = accepted({ openFloor: envelope });
    expect(again.issues.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(again.envelope).toEqual(envelope);
  });
}
