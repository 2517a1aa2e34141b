import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environment, fixtures, main } from "../support/plenary-command.ts";

const readme = readFileSync(join(import.meta.dirname, "../../packages/cli/README.md"), "utf8");
const examples = [...readme.matchAll(/```\n\$ plenary (.+)\n([^`]*)```/gu)].map(([, args = "", output = ""]) => ({
  args,
  output,
}));

test("the README has examples", () => {
  expect(examples.length).toBeGreaterThan(2);
});

test.each(examples)("the README shows the real output of plenary $args", ({ args, output }) => {
  const command = `"${process.execPath}" "${main}" ${args} 2>&1`;
  const { stdout } = spawnSync(command, { cwd: fixtures, shell: true, encoding: "utf8", env: environment() });
  expect(stdout).toBe(output);
});
