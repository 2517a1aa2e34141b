// A process that runs test files with one mutant active, as often as its parent asks.
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createVitest } from "vitest/node";
import { root } from "../bootstrap.mjs";
import { instrument } from "./mutants.mjs";

const folder = process.env.PLENARY_MUTATION;
const chosen = new Map(JSON.parse(process.env.PLENARY_CHOSEN).map(({ file, ids }) => [join(root, file), new Set(ids)]));

const mutants = {
  name: "mutants",
  enforce: "pre",
  transform(text, path) {
    const ids = chosen.get(path);
    return ids === undefined ? undefined : { code: instrument(relative(root, path), text, ids), map: null };
  },
};

/** The order that was asked for: the nearest test first. */
class AsGiven {
  async sort(files) {
    return files;
  }
  async shard(files) {
    return files;
  }
}

const timeoutMs = 60_000;
const vitest = await createVitest(
  "test",
  {
    root,
    watch: false,
    isolate: false,
    maxWorkers: Number(process.env.PLENARY_WORKERS),
    reporters: [{}],
    sequence: { sequencer: AsGiven },
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    setupFiles: [join(root, "scripts/mutation/setup.mjs")],
  },
  { plugins: [mutants] },
);
await vitest.standalone();

// Vitest remembers the files and errors of earlier runs.
let errorsBefore = 0;

process.on("message", async ({ id, files }) => {
  writeFileSync(join(folder, `active-${process.env.PLENARY_LANE}`), id);
  const specifications = files.flatMap((file) => vitest.getModuleSpecifications(join(root, file)));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const names = new Set(specifications.map(({ moduleId }) => moduleId));
  const modules = testModules.filter(({ moduleId }) => names.has(moduleId));
  const failed = modules.filter((module) => module.state() === "failed");
  const first = failed.flatMap((module) =>
    [...module.children.allTests("failed")].map((test) => `${module.relativeModuleId} > ${test.fullName}`),
  )[0];
  const durations = modules.map((module) => [
    module.relativeModuleId,
    module.diagnostic().duration + module.diagnostic().collectDuration,
  ]);
  const isUnhandled = unhandledErrors.length > errorsBefore;
  errorsBefore = unhandledErrors.length;
  process.send({
    isRed: failed.length > 0 || isUnhandled,
    by: first ?? failed[0]?.relativeModuleId,
    durations,
  });
});
// Without its parent it ends with its workers, also when one of them hangs.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
process.send("ready");
