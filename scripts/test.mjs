// Everything that must hold: install, build, `npm run check`, all tests. The last line of stdout is the total.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bootstrap, note, root } from "./bootstrap.mjs";
import { installTools } from "./tools.mjs";

const filters = process.argv.slice(2).filter((argument) => argument !== "--nightly");
const isNightly = process.argv.includes("--nightly");
if (isNightly) process.env.PLENARY_NIGHTLY = "1";

async function runEverything() {
  try {
    bootstrap();
    installTools();
    // A failed check costs one failure and hides no test.
    const checks = runChecks();
    const tests = await withContract(runTests);
    return sum([checks, ...tests, ...(isNightly && filters.length === 0 ? [runMutants()] : [])]);
  } catch (error) {
    note(error.stack);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** All answers of floors in the tests are compared with the contract, and a whole run sees every operation. */
async function withContract(run) {
  const folder = join(root, "test/support/contract");
  const { beginReport, endReport, faultText, unseenOperations } = await import(
    pathToFileURL(join(folder, "report.mjs")).href
  );
  const file = beginReport();
  const tests = await run();
  const { faults, seen } = endReport(file);
  const unseen = filters.length === 0 ? await unseenOperations(seen) : [];
  const texts = [faultText(faults), unseen.length > 0 && `No test got a success of: ${unseen.join(", ")}`];
  failures.push(...texts.filter(Boolean));
  return [tests, { passed: 0, failed: faults.length + unseen.length, skipped: 0 }];
}

function runChecks() {
  return { passed: 0, failed: runScript("check.mjs") ? 0 : 1, skipped: 0 };
}

function runMutants() {
  return { passed: 0, failed: runScript("mutate.mjs") ? 0 : 1, skipped: 0 };
}

function runScript(name) {
  const { status } = spawnSync(process.execPath, [join(root, "scripts", name)], { cwd: root, stdio: "inherit" });
  return status === 0;
}

/** These put the whole machine under load. At night they also measure it, so nothing else runs beside them then. */
const underLoad = ["kill", "overload", "slow-readers", "exhaustion", "soak"];
const alone = [...underLoad.map((name) => `test/reliability/${name}.test.ts`), "test/browser/speed.test.ts"];

const units = ["packages/", "conformance/"];

/** Each drives its own browsers, so only these tests run beside each other. */
const pages = "test/browser/";

/** Listed once more at the end of a long run. */
const failures = [];

async function runTests() {
  const isMeant = (file) => filters.length === 0 || filters.some((filter) => file.includes(filter));
  const last = alone.filter(isMeant);
  const meant = { exclude: alone, passWithNoTests: true };
  const groups = filters.length === 0 ? await runWhole() : [await runVitest(filters, meant)];
  if (last.length > 0) groups.push(await runVitest(last, { maxWorkers: isNightly ? 1 : 2 }));
  const total = sum(groups);
  if (total.passed + total.failed > 0) return total;
  note("No test ran.");
  return { ...total, failed: 1 };
}

async function runWhole() {
  return [
    // There is no state between files: each worker loads what they share once. Unit tests compute and hardly wait.
    await runVitest(units, { exclude: alone, isolate: false, maxWorkers: 2 }),
    await runVitest(["test/"], { exclude: [...alone, `${pages}**`], isolate: false }),
    await runVitest([pages], { exclude: alone, isolate: false }),
  ];
}

async function runVitest(which, options) {
  const { startVitest } = await import("vitest/node");
  const vitest = await startVitest("test", which, { root, run: true, watch: false, ...options });
  const modules = vitest.state.getTestModules();
  const unhandled = vitest.state.getUnhandledErrors().length;
  await vitest.close();
  for (const test of modules.flatMap((module) => [...module.children.allTests("failed")])) {
    failures.push(`${test.module.relativeModuleId} > ${test.fullName}: ${test.result().errors?.[0]?.message ?? ""}`);
  }
  return sum([...modules.map(totalOf), { passed: 0, failed: unhandled, skipped: 0 }]);
}

// A file that does not load and a hook that throws have no test of their own to fail, and count as one failure each.
function totalOf(module) {
  const broken = [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  const inState = (state) => [...module.children.allTests(state)].length;
  return { passed: inState("passed"), failed: inState("failed") + broken.length, skipped: inState("skipped") };
}

function sum(totals) {
  const add = (key) => totals.reduce((count, total) => count + total[key], 0);
  return { passed: add("passed"), failed: add("failed"), skipped: add("skipped") };
}

const { passed, failed, skipped } = await runEverything();
for (const failure of failures) note(`failed: ${failure}`);
const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`;
process.stdout.write(line, () => process.exit(failed === 0 ? 0 : 1));
