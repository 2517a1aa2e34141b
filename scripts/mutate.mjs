// Mutation test: breaks one line at a time of the code that carries the promises, and checks that a test turns red.
//   node scripts/mutate.mjs [--count 420] [--seed 1] [--only TEXT-IN-PATH] [--seconds 15] [--again]
//   node scripts/mutate.mjs --id ID[,ID] TEST-FILE...   runs these test files with one mutant: is it killed?
// --seconds: tests of so many seconds for one mutant. --again runs the survivors of the last run only. `mutation/accepted.json` gives the reason for each accepted survivor.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bootstrap, root } from "./bootstrap.mjs";
import { projectFiles } from "./files.mjs";
import { createCompiler } from "./mutation/compiler.mjs";
import { startLane } from "./mutation/lane-process.mjs";
import { mutantsOf } from "./mutation/mutants.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    id: { type: "string", default: "" },
    count: { type: "string", default: "420" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "15" },
    again: { type: "boolean", default: false },
  },
});

const folder = join(root, "coverage", "mutation");
const survivorsFile = join(folder, "survivors.json");
const unexplainedShareMax = 0.03;
const lanes = 2;
const accepted = new Set(readJson(join(root, "scripts/mutation/accepted.json")).map(({ id }) => id));

const mutated = [
  /^packages\/floor\/src\/(?!testing\/)/,
  /^packages\/transcript\/src\/replay\//,
  /^packages\/protocol\/src\/parse\/(?:json|parse)\.ts$/,
  /^packages\/server\/src\/(?:conversation|delivery)\/(?!(?:drafts|conversation-view)\.ts$)/,
  /^packages\/server\/src\/auth\//,
  /^packages\/server\/src\/ports\/(?:principal|credentials|speaker-uri)\.ts$/,
  /^packages\/server\/src\/store\/(?!acceptance\/|errors\.ts$)/,
];

// Other tests start the built command, which has no mutants, or reach the same lines with more around them.
const used = [
  /^packages\/(?:protocol|floor|transcript|sdk)\/src\/.*\.test\.ts$/,
  /^packages\/server\/src\/(?!nemo\/).*\.test\.ts$/,
  /^packages\/cli\/src\/(?:doctor|replay)\/.*\.test\.ts$/,
  /^(?:conformance|test\/(?:floor|outbox|security|privacy|streams|peers|convener|together))\/.*\.test\.ts$/,
];

const files = projectFiles();
const sources = files.filter(isMutated);
const slow = /conformance\/mutations|privacy\/whisper-canary|security\/(?:routes|ssrf)/;
const testFiles = files.filter((file) => used.some((pattern) => pattern.test(file)) && !slow.test(file));

function isMutated(file) {
  if (!file.endsWith(".ts") || /\.test\.ts$|\/acceptance/.test(file)) return false;
  return mutated.some((pattern) => pattern.test(file)) && file.includes(options.only);
}

/** The same seed chooses the same mutants, also after other lines have changed. */
function choose() {
  const all = sources.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")));
  const named = options.id === "" ? [] : options.id.split(",");
  const ids = options.again ? readJson(survivorsFile).map(({ id }) => id) : named;
  if (ids.length > 0) return all.filter(({ id }) => ids.includes(id));
  const rank = ({ id }) => createHash("sha256").update(`${options.seed} ${id}`).digest("hex");
  const ranked = all.map((mutant) => ({ mutant, rank: rank(mutant) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, Number(options.count)).map(({ mutant }) => mutant);
}

/** Runs every test once without a mutant: which mutants does each test file reach, and how long does it take? */
async function measureTests(chosen, meant) {
  const reachedFolder = join(folder, "reached");
  rmSync(reachedFolder, { recursive: true, force: true });
  const lane = startLane({ folder, chosen, name: "all", workers: lanes });
  const { isRed, by, durations } = await lane.run({ id: "", files: meant });
  lane.stop();
  if (isRed) throw new Error(`The tests are red without a mutant: ${by}`);
  const durationOf = new Map(durations);
  return readdirSync(reachedFolder).map((name) => {
    const { test, ids } = readJson(join(reachedFolder, name));
    const file = test.slice(root.length + 1);
    return { file, ids: new Set(ids), ms: durationOf.get(file) ?? 0 };
  });
}

/** The tests that reach a mutant: the nearest first, then the fastest, until they take too long together. */
function testsFor(mutant, tests) {
  const distance = (file) => {
    if (file === mutant.file.replace(/\.ts$/, ".test.ts")) return 0;
    return file.startsWith("packages/") ? 1 : 2;
  };
  const reaching = tests.filter(({ ids }) => ids.has(mutant.id));
  reaching.sort((a, b) => distance(a.file) - distance(b.file) || a.ms - b.ms);
  let ms = 0;
  return reaching.filter((test, index) => {
    ms += test.ms;
    return index === 0 || ms <= Number(options.seconds) * 1_000;
  });
}

/** The nearest tests notice most: the others run only when those stay green. */
async function runStages(lane, { id }, reaching) {
  for (const stage of [reaching.slice(0, 2), reaching.slice(2, 8), reaching.slice(8)]) {
    const result = stage.length === 0 ? { isRed: false } : await lane.run({ id, files: stage });
    if (result.isRed) return result;
  }
  return { isRed: false };
}

async function runMutants(chosen, tests) {
  const queue = chosen.slice();
  const results = [];
  const errorOf = createCompiler();
  const work = async (name) => {
    const lane = startLane({ folder, chosen, name, workers: 1 });
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const reaching = testsFor(mutant, tests).map(({ file }) => file);
      const byTest = await runStages(lane, mutant, reaching);
      const error = byTest.isRed ? undefined : errorOf(mutant);
      const by = byTest.isRed ? (byTest.by ?? "an unhandled error") : error;
      results.push({ ...mutant, isKilled: by !== undefined, isCompiled: error === undefined, by });
      if (by === undefined) print(mutant, reaching);
      else if (options.id !== "") console.log(`killed ${mutant.id} by ${by}`);
      if (results.length % 50 === 0) console.log(`${results.length} of ${chosen.length}`);
    }
    lane.stop();
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => work(`lane-${index}`)));
  return results;
}

function print({ id, file, line, from, to }, reaching) {
  const kind = accepted.has(id) ? "accepted" : "survived";
  console.log(`${kind} ${id} ${file}:${line}  ${from}  ->  ${to}  (${reaching.length} test files reach it)`);
}

function report(results) {
  const survivors = results.filter(({ isKilled }) => !isKilled);
  const unexplained = survivors.filter(({ id }) => !accepted.has(id));
  if (options.id === "") {
    writeFileSync(join(folder, "results.json"), `${JSON.stringify(results, undefined, 2)}\n`);
    writeFileSync(survivorsFile, `${JSON.stringify(survivors, undefined, 2)}\n`);
  }
  const killed = results.length - survivors.length;
  const byCompiler = results.filter(({ isCompiled }) => !isCompiled).length;
  const explained = survivors.length - unexplained.length;
  console.log(
    `[mutation] ${results.length} mutants, ${killed} killed (${byCompiler} by the compiler), ${explained} survived with a reason, ${unexplained.length} without one`,
  );
  return unexplained.length <= results.length * unexplainedShareMax;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

bootstrap();
mkdirSync(folder, { recursive: true });
const chosen = choose();
console.log(`${chosen.length} mutants in ${sources.length} files, ${testFiles.length} test files`);
const all = await measureTests(chosen, positionals.length > 0 ? positionals : testFiles);
const tests = all.map((test) => (positionals.length > 0 ? { ...test, ms: 0 } : test));
const isGood = report(await runMutants(chosen, tests));
process.exitCode = isGood ? 0 : 1;
