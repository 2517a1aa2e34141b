import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixtures, main } from "./support/plenary-command.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const command = join(root, "packages/cli/dist/bundle");
/** One function of a few lines; the whole package has 150,000 bytes. */
const smallBytesMax = 1_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-published-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files that Node loads as code. A coverage report lists each script. */
function filesLoaded(args: readonly string[]): string[] {
  const coverage = mkdtempSync(join(folder, "coverage-"));
  execFileSync(process.execPath, args, { cwd: root, env: { ...process.env, NODE_V8_COVERAGE: coverage } });
  return readdirSync(coverage).flatMap((name) => {
    const { result }: { result: { url: string }[] } = JSON.parse(readFileSync(join(coverage, name), "utf8"));
    // The script itself is listed as if it were a file.
    return result.flatMap(({ url }) => (/^file:.*\.m?js$/u.test(url) ? [fileURLToPath(url)] : []));
  });
}

test("Node loads @plenary/protocol as one file, which has the licences of the packages inside beside it", () => {
  const [file = "", ...others] = filesLoaded(["--input-type=module", "-e", 'import "@plenary/protocol";']);
  expect(others).toEqual([]);
  const licences = readFileSync(join(file, "../THIRD-PARTY-LICENSES.txt"), "utf8");
  expect(licences).toContain("typebox 1.");
  expect(licences).toContain("eventsource-parser 3.");
});

test("plenary validate loads its own file, and no code that compiles checks", () => {
  const files = filesLoaded([main, "validate", join(fixtures, "clean.json")]);
  expect(files).toContain(join(command, "validate.js"));
  expect(files.length).toBeLessThanOrEqual(8);
  const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
  expect(code).not.toContain("node_modules/typebox/build/schema/");
});

test("the packages inside the command share one TypeBox; validate, a program of its own, has what it needs of it", () => {
  const files = readdirSync(command).filter((name) => name.endsWith(".js"));
  const filesWith = (part: string) => files.filter((name) => readFileSync(join(command, name), "utf8").includes(part));
  expect(filesWith("packages/protocol/dist/bundle/")).toEqual([]);
  const others = filesWith("node_modules/typebox/build/type/types/object.mjs").filter((name) => name !== "validate.js");
  expect(others).toHaveLength(1);
});

const targets: [string, BuildOptions][] = [
  ["a page", { platform: "browser" }],
  ["Node", { platform: "node" }],
  ["a worker", { platform: "neutral", conditions: ["workerd", "worker", "browser"] }],
];

test.each(targets)("a bundle for %s has only the used parts of @plenary/protocol", async (_target, options) => {
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: 'export { isSameUri } from "@plenary/protocol";', resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  expect(outputFiles?.[0]?.contents.length).toBeLessThanOrEqual(smallBytesMax);
});
