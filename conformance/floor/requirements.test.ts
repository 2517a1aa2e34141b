import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requirements } from "./requirements.ts";

const tests = new URL("../../packages/floor/src/", import.meta.url);

/** The ids in brackets in the names of the floor's tests. */
function citations(): string[] {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));
  const names = files.flatMap((file) => readFileSync(new URL(file, tests), "utf8").match(/"\[floor-[^"\n]*"/g) ?? []);
  return names.flatMap((name) => [...name.matchAll(/\[(floor-[^\]]+)\]/g)].map(([, id]) => id ?? ""));
}

test("every requirement on a floor manager is cited by a test", () => {
  const cited = new Set(citations());
  expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([]);
});

test("every citation names an existing requirement", () => {
  expect(citations().filter((id) => !Object.hasOwn(requirements, id))).toEqual([]);
});

test("every requirement has a section and a text", () => {
  for (const { spec, says } of Object.values(requirements)) {
    expect(spec).toMatch(/^\d\.\d/);
    expect(says).toMatch(/\S \S/);
  }
});
