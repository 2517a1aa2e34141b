// What the recorders of one run wrote.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";

const shownMax = 20;

/** All processes that start from now on append to one file. */
export function beginReport() {
  const folder = mkdtempSync(join(tmpdir(), "plenary-contract-"));
  const file = join(folder, "lines.jsonl");
  writeFileSync(file, "");
  buildSync({
    entryPoints: [join(import.meta.dirname, "checker.mjs")],
    outfile: join(folder, "checker.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@plenary/source"],
    // What ajv would load to compare a schema with another.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  process.env.PLENARY_CONTRACT = file;
  return file;
}

/** Answers that do not match the contract, and the statuses that were seen of each operation. */
export function endReport(file) {
  const lines = [...new Set(readFileSync(file, "utf8").split("\n"))].filter((line) => line !== "");
  rmSync(dirname(file), { recursive: true });
  const all = lines.map((line) => JSON.parse(line));
  const faults = all.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  const seen = new Map();
  for (const { seen: id, status } of all) if (id !== undefined) seen.set(id, [...(seen.get(id) ?? []), status]);
  return { faults, seen };
}

/** The first faults as text; undefined when there are none. */
export function faultText(faults) {
  if (faults.length === 0) return undefined;
  const shown = faults.slice(0, shownMax).map((fault) => `  ${fault}`);
  return [`${faults.length} kinds of answers do not match the contract (packages/api):`, ...shown].join("\n");
}

/** Operations that no whole-system test can call with success. */
const exceptions = new Set([
  // They need an OpenID provider: tests of packages/server have one.
  ...["login", "finishLogin", "logout"],
]);

/** Operations that no test got a success of. */
export async function unseenOperations(seen) {
  const { operations } = await import("@plenary/api");
  return Object.values(operations)
    .filter(({ answers }) => Object.keys(answers).length > 0)
    .filter(({ id, answers }) => !(seen.get(id) ?? []).some((status) => Object.hasOwn(answers, status)))
    .map(({ id }) => id)
    .filter((id) => !exceptions.has(id));
}
