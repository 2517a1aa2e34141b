// Runs bench/*.bench.mjs one after another. Each prints lines of the form `name ratio target pass|fail`. With words after
// it, only the files whose names contain one of them; the report is written when all have run.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { writeReport } from "./bench-report.mjs";
import { bootstrap, note, root } from "./bootstrap.mjs";

const verdictLine = /^(\S+)\s+(\S+)\s+(\S+)\s+(pass|fail)$/;

async function runAll(words) {
  bootstrap();
  const folder = join(root, "bench");
  const all = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".bench.mjs")) : [];
  const files = words.length === 0 ? all : all.filter((name) => words.some((word) => name.includes(word)));
  if (files.length === 0) throw new Error(`There is no bench/*.bench.mjs to run${words.map((word) => ` (${word})`)}.`);
  const results = [];
  const before = buildTimes();
  for (const name of files.sort(byNumber)) results.push(await runBench(join(folder, name)));
  if (buildTimes() !== before)
    throw new Error("packages/*/dist was built anew meanwhile: these figures mix two programs.");
  if (words.length === 0) writeReport(results);
  return results.every(({ passed }) => passed);
}

function buildTimes() {
  const packages = join(root, "packages");
  const built = readdirSync(packages, { recursive: true }).filter((path) => /^[^/\\]+[/\\]dist[/\\].*\.js$/.test(path));
  return built.map((path) => `${path} ${statSync(join(packages, path)).mtimeMs}`).join("\n");
}

/** p10 comes after p9. */
function byNumber(a, b) {
  return a.localeCompare(b, "en", { numeric: true });
}

async function runBench(file) {
  const child = spawn(process.execPath, [file], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.on("close", resolve));
  const verdicts = [];
  const details = [];
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    const [, name, ratio, target, outcome] = verdictLine.exec(line.trim()) ?? [];
    if (outcome !== undefined) verdicts.push({ name, ratio, target, passed: outcome === "pass" });
    else if (line.startsWith("# ")) details.push(line.slice(2));
  }
  const status = await exited;
  if (status !== 0) note(`${file} ended with ${status}.`);
  if (verdicts.length === 0) note(`${file} printed no result.`);
  const passed = status === 0 && verdicts.length > 0 && verdicts.every((verdict) => verdict.passed);
  return { file, verdicts, details, passed };
}

try {
  process.exitCode = (await runAll(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  note(error.message);
  process.exitCode = 1;
}
