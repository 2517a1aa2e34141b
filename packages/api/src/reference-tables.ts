import type * as Type from "typebox";
import { channels, closeCodes } from "./frames.ts";
import { type Operation, tags } from "./operation.ts";
import { operations } from "./operations.ts";
import { type ProblemCode, problemKind, problems } from "./problems.ts";

/** docs/api.md: the tables of operations, problems, frames and close codes. */
export function referenceTables(): string {
  return [
    "# API",
    "",
    "Written by `node scripts/write-docs.mjs` from the definitions in `packages/api`. Do not edit it. A running floor shows every field at",
    "`/docs/api`, and describes itself in `/openapi.json` (requests) and `/asyncapi.json` (sockets and event streams).",
    "",
    "`open`: every caller. `anyone`: every caller, within the rate of its address. `writer`: the same, stricter without a credential. `credential`:",
    "every authenticated caller. `sender`: the same, or an agent that answers a delivery. `host`: who may create conversations. `conversant`: who is",
    "seated in the conversation. `reader`: who ever saw an entry of it. `owner`: its owner. The operator may use them all.",
    "",
    ...Object.entries(tags).flatMap(([tag, title]) => [`## ${title}`, "", ...operationTable(tag), ""]),
    "## Problems",
    "",
    "Errors are problem documents (RFC 9457) of the type `urn:plenary:problem:CODE`, except for clients of the NeMo Agent Toolkit and of OpenAI.",
    "",
    ...problemTable(),
    "",
    "## Frames of sockets and event streams",
    "",
    ...frameTable(),
    "",
    "## Close codes of sockets",
    "",
    ...table(["code", "meaning"], Object.entries(closeCodes)),
    "",
  ].join("\n");
}

function operationTable(tag: string): string[] {
  const rows = Object.entries<Operation>(operations)
    .filter(([, operation]) => operation.tag === tag && operation.id !== "refuseMethod")
    .map(([route, { access, summary }]) => {
      const [method = "", path = ""] = route.split(" ");
      return [method, `\`${path}\``, `\`${access}\``, summary];
    });
  return table(["method", "path", "who may", "what it does"], rows);
}

function problemTable(): string[] {
  const rows = (Object.keys(problems) as ProblemCode[])
    .map((code) => ({ code, ...problemKind(code) }))
    .sort((a, b) => a.status - b.status)
    .map(({ code, status, title, fix }) => [`\`${code}\``, String(status), title, fix]);
  return table(["code", "status", "title", "what to do"], rows);
}

function frameTable(): string[] {
  const rows = Object.values(channels).flatMap(({ address, from, to }) => [
    ...framesOf(address, "from the floor", from),
    ...framesOf(address, "to the floor", to),
  ]);
  return table(["address", "direction", "frame", "what it is"], rows);
}

function framesOf(address: string, direction: string, frames: Readonly<Record<string, Type.TSchema>>): string[][] {
  return Object.entries(frames).map(([name, schema]) => {
    const { description = "" } = schema as { description?: string };
    return [`\`${address}\``, direction, `\`${name}\``, description];
  });
}

/** A Markdown table with aligned columns. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  return [lines[0] ?? "", `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...lines.slice(1)];
}
