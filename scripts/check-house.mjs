// House rules that no other tool knows.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bootstrap.mjs";
import { projectFiles } from "./files.mjs";
import { mutantsOf } from "./mutation/mutants.mjs";

const linesMax = 300;
const code = /\.(?:ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;
const text = /\.(?:ts|tsx|mts|cts|js|jsx|mjs|cjs|json|md|css|html|ya?ml|sh)$|^\.ci\//;
const test = /\.test\.tsx?$|^(?:test|conformance)\//;
const pureCore = /^packages\/(?:protocol|floor|transcript|api|nemo)\/src\//;
const notWrittenHere = /^conformance\/fixtures\/|^package-lock\.json$/;

const lineRules = [
  {
    problem: "the core takes time and chance as arguments",
    appliesTo: (file) => pureCore.test(file) && !test.test(file),
    pattern: /\bDate\.now\b|\bnew Date(?:\(\s*\)|(?!\s*[\w(]))|\bMath\.random\b|\bperformance\.now\b/,
  },
  {
    problem: "a test is neither skipped, singled out nor left for later (a missing tool: skipIf)",
    appliesTo: (file) => test.test(file) && code.test(file),
    pattern: /\.(?:skip|only|todo)\s*[.(]|\b(?:skip|only|todo):\s*true\b/,
  },
  {
    problem: "a path of one machine",
    appliesTo: (file) => text.test(file),
    pattern:
      /(?:(?<![\w.}/~-])|file:\/\/)\/(?:home|Users|root|work|workspace|tmp|mnt)\/[\w.-]+|\b[A-Za-z]:\\\\?Users\\/,
  },
];

function problemsOf(file) {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  return [...lengthProblems(file, lines), ...lineProblems(file, lines)];
}

function lengthProblems(file, lines) {
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  return code.test(file) && count > linesMax ? [`${file}: ${count} lines, at most ${linesMax}`] : [];
}

function lineProblems(file, lines) {
  const rules = lineRules.filter(({ appliesTo }) => appliesTo(file));
  return lines.flatMap((line, index) =>
    rules.filter(({ pattern }) => pattern.test(line)).map(({ problem }) => `${file}:${index + 1}: ${problem}`),
  );
}

const acceptedMutants = "scripts/mutation/accepted.json";

/** The reason for an accepted mutant holds for one line of one file. When the line is gone, the reason goes too. */
function mutantProblems() {
  const isThere = ({ id, file }) =>
    existsSync(join(root, file)) &&
    mutantsOf(file, readFileSync(join(root, file), "utf8")).some((one) => one.id === id);
  return JSON.parse(readFileSync(join(root, acceptedMutants), "utf8"))
    .filter((accepted) => !isThere(accepted))
    .map(({ id, file, line }) => `${acceptedMutants}: mutant ${id} is no longer in ${file}: ${line}`);
}

const files = projectFiles().filter((file) => (code.test(file) || text.test(file)) && !notWrittenHere.test(file));
const problems = [...files.flatMap(problemsOf), ...mutantProblems()];
for (const problem of problems) console.log(problem);
console.log(`${files.length} files, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
