import { readFileSync } from "node:fs";
import { type RuleId, rules } from "@plenary/protocol";
import { expect, test } from "vitest";
import { negativeCases } from "./cases.ts";
import { casesOf, publishedCases, requirementsText } from "./published.ts";

const written = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const ids = Object.keys(rules) as RuleId[];

// A case asserts an issue that carries its rule, so the cases of a rule fail when it is no longer enforced.
test("every rule has a case that breaks it", () => {
  expect(ids.filter((id) => casesOf(id) === 0)).toEqual([]);
});

test("every case breaks a rule that exists", () => {
  const cited = negativeCases.flatMap(({ rule, also = [] }) => [rule, ...also.map((flaw) => flaw.rule)]);
  expect(cited.filter((rule) => !Object.hasOwn(rules, rule))).toEqual([]);
});

test("every rule names a specification, a requirement and a remedy", () => {
  for (const [id, { spec, says, fix }] of Object.entries(rules)) {
    expect.soft({ id, spec, says, fix }).toEqual({
      id: expect.stringMatching(/^[a-z]+(?:-[a-z]+)*$/),
      spec: expect.stringMatching(/\d/),
      says: expect.stringMatching(/\S \S/),
      fix: expect.stringMatching(/\S \S/),
    });
  }
});

test("no two cases have the same name", () => {
  const names = negativeCases.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("at least 150 cases break the text itself", () => {
  expect(negativeCases.filter(({ severity }) => severity === "error").length).toBeGreaterThanOrEqual(150);
});

test("requirements.md is up to date (node conformance/write.mjs)", () => {
  expect(written("requirements.md")).toBe(requirementsText());
});

test("cases.json is up to date (node conformance/write.mjs)", () => {
  expect(JSON.parse(written("cases.json"))).toEqual(JSON.parse(JSON.stringify(publishedCases())));
});
