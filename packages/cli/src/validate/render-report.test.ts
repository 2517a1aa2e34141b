import type { Issue } from "@plenary/protocol";
import { expect, test } from "vitest";
import { coloursFor } from "../output/format.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { createPositionFinder } from "./json-position.ts";
import { renderIssue } from "./render-report.ts";

const issue: Issue = {
  path: "/openFloor/schema/version",
  problem: "schema.version is a published version number, but this is something else: 7",
  fix: 'write "version": "1.1.0"',
  rule: "schema-version",
  spec: "Inter-Agent Message 1.1.0, section 1.5",
  severity: "error",
  repaired: true,
};
const place = createPositionFinder('{\n\t"version": 7\n}')({ start: 3, end: 15 });
const plain = coloursFor(createMemoryIo().stdout, {});

test("an issue is printed in the style of a compiler", () => {
  expect(renderIssue(issue, "a.json", place, plain)).toBe(
    [
      "error[schema-version]: schema.version is a published version number, but this is something else: 7",
      " --> a.json:2:2  /openFloor/schema/version",
      '2 |  "version": 7',
      "  |  ^^^^^^^^^^^^",
      '  = fix: write "version": "1.1.0"',
      "  = spec: Inter-Agent Message 1.1.0, section 1.5",
      "  = repaired: yes, the document can still be used",
      "",
    ].join("\n"),
  );
});

test("an issue without a position, and one that was not repaired", () => {
  const rendered = renderIssue({ ...issue, repaired: false }, "a.json", undefined, plain);
  expect(rendered).toContain(" --> a.json  /openFloor/schema/version\n");
  expect(rendered).toContain("repaired: no");
});

test("control sequences in a document are escaped", () => {
  const evil = "\u001b[2J\u009b31m\u202e\u0007\r";
  const hostile = { ...issue, path: `/${evil}`, problem: evil };
  const where = createPositionFinder(`"${evil}"`)({ start: 0, end: 1 });
  const rendered = renderIssue(hostile, evil, where, plain);
  expect(rendered.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(rendered).toContain("\\u001b[2J\\u009b31m\\u202e\\u0007\\r");
});

test.each([
  ["a terminal", { isTty: true }, {}, true],
  ["a pipe", { isTty: false }, {}, false],
  ["a terminal with NO_COLOR", { isTty: true }, { NO_COLOR: "1" }, false],
  ["a terminal with an empty NO_COLOR", { isTty: true }, { NO_COLOR: "" }, true],
  ["a terminal without abilities", { isTty: true }, { TERM: "dumb" }, false],
  ["a pipe with FORCE_COLOR", { isTty: false }, { FORCE_COLOR: "1" }, false],
])("colours on %s", (_name, options, env, isColoured) => {
  const rendered = renderIssue(issue, "a.json", place, coloursFor(createMemoryIo(options).stdout, env));
  expect(rendered.includes("\u001b[")).toBe(isColoured);
});
