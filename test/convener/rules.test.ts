// Other implementers copy the minimal behaviours, so a test on a real floor names each of them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const documents = ["docs/convener.md", "packages/agents/README.md"].map((path) =>
  readFileSync(join(root, path), "utf8"),
);
const rules = documents.flatMap((text) => [...text.matchAll(/^- \*\*([A-Z]\d+)\*\*/gmu)].map(([, rule = ""]) => rule));
const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
const titles = files.flatMap((name) =>
  [...readFileSync(join(import.meta.dirname, name), "utf8").matchAll(/^test[^"\n]*"([^"]+)"/gmu)].map(
    ([, title]) => title,
  ),
);

test("each numbered rule has a test that names it", () => {
  expect(rules.length).toBeGreaterThan(50);
  const named = new Set(titles.flatMap((title = "") => (title.split(":")[0] ?? "").split(" ")));
  expect(rules.filter((rule) => !named.has(rule))).toEqual([]);
});
