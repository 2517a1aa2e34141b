// The import rules of .dependency-cruiser.cjs, plus a proof that the tool has read every file: with a compiler it does not
// know, dependency-cruiser analyses nothing and reports success.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bootstrap.mjs";
import { projectFiles } from "./files.mjs";

const folders = ["packages", "conformance", "examples", "test", "bench", "scripts"];
const outputBytesMax = 256 * 1024 * 1024;

function cruise() {
  const tool = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const options = ["--config", ".dependency-cruiser.cjs", "--output-type", "json"];
  const json = execFileSync(process.execPath, [tool, ...options, ...present], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: outputBytesMax,
  });
  return JSON.parse(json);
}

function violationProblems({ violations, ruleSetUsed }) {
  const comments = new Map(ruleSetUsed.forbidden.map(({ name, comment }) => [name, comment]));
  return violations.map(({ from, to, rule, cycle }) => {
    const route = cycle === undefined ? to : cycle.map(({ name }) => name).join(" -> ");
    return `${from} -> ${route}\n    ${rule.name}: ${comments.get(rule.name)}`;
  });
}

function coverageProblems(modules) {
  const cruised = new Map(modules.map((module) => [module.source, module]));
  const sources = projectFiles().filter(isSource);
  if (sources.length === 0) return ["no source file found"];
  return sources.flatMap((file) => {
    const module = cruised.get(file);
    if (module === undefined) return [`${file} was not analysed`];
    if (module.dependencies.length === 0 && hasImports(file))
      return [`no import was seen in ${file}, though it has some`];
    return [];
  });
}

function isSource(file) {
  return folders.includes(file.split("/")[0]) && /\.(ts|tsx|mjs)$/.test(file);
}

function hasImports(file) {
  return /^(?:import\b.*|export\b.*|\}) from "/m.test(readFileSync(join(root, file), "utf8"));
}

const { modules, summary } = cruise();
const problems = [...violationProblems(summary), ...coverageProblems(modules)];
for (const problem of problems) console.log(problem);
console.log(
  `${summary.totalCruised} modules, ${summary.totalDependenciesCruised} imports, ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
