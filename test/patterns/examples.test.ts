import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);

/** Runs the example with the built packages. The example asserts by itself; the promise rejects when it ends with an error. */
test.each([
  ["delegation", "weather: Sunny, since you ask: And tomorrow?"],
  ["channeling", "plainly for oracle (whispering): Yes, really. And between us?"],
  ["mediation", "concierge: Done. They said: A table at 21. See you!"],
])("the example of %s runs and its assertions hold", async (story, last) => {
  const { stdout } = await run(process.execPath, [join(root, "examples", story, "run.mjs")], { cwd: root });
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(last);
});
