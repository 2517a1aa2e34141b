import { type RuleId, rules } from "@plenary/protocol";
import { mint, type Source, textOf } from "./case.ts";
import { positiveCases } from "./cases/flawless.ts";
import { repairCases } from "./cases/repairs.ts";
import { negativeCases } from "./cases.ts";

const ids = Object.keys(rules) as RuleId[];
const isLegacy = (id: string) => id.startsWith("ovon-");

/** The text of requirements.md. */
export function requirementsText(): string {
  return [
    "# Requirements",
    "",
    "Every data rule of the specifications that a document can break: where it stands, what it says in our own words, and",
    "how many cases break it. Written by `node conformance/write.mjs` from the rules of `@plenary/protocol`; do not edit.",
    "",
    ...section(
      "Open Floor 1.1",
      ids.filter((id) => !isLegacy(id)),
    ),
    ...section("Conversation envelope 0.9", ids.filter(isLegacy)),
  ].join("\n");
}

function section(title: string, members: readonly RuleId[]): string[] {
  if (members.length === 0) return [];
  const rows = members.map((id) => [id, rules[id].spec, rules[id].says, String(casesOf(id))]);
  return [`## ${title} (${members.length})`, "", ...table(["Id", "Where", "What it says", "Cases"], rows), ""];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}

export function casesOf(id: RuleId): number {
  return negativeCases.filter(({ rule }) => rule === id).length;
}

/** The content of cases.json: the cases, with every document as the text that a parser gets. */
export function publishedCases() {
  return {
    now: mint.now,
    newId: mint.newId(),
    negative: negativeCases.map(asText),
    positive: positiveCases.map(asText),
    repairs: repairCases.map(asText),
  };
}

function asText<Case extends Source>(written: Case) {
  const { document: _, ...rest } = { document: undefined, ...written };
  return { ...rest, text: textOf(written) };
}
