// Tools of the platform that some tests need. Installed where we may; elsewhere the tests that need them say so.
import { spawnSync } from "node:child_process";
import { note } from "./bootstrap.mjs";

/** The command that shows it is there, and the package that brings it. */
const tools = [
  { command: "strace", args: ["-V"], package: "strace" },
  { command: "chromium-headless-shell", args: ["--version"], package: "chromium-headless-shell" },
  { command: "tmux", args: ["-V"], package: "tmux" },
];

/** Never throws: whether a missing tool is a failure is for the test to say. */
export function installTools() {
  const missing = tools.filter(({ command, args }) => !isThere(command, args));
  if (missing.length === 0) return;
  const names = missing.map((tool) => tool.package).join(" ");
  if (process.getuid?.() !== 0 || !isThere("apt-get", ["--version"])) {
    note(`Some tests need ${names}, which is not installed here and cannot be by this account.`);
    return;
  }
  note(`Installing ${names} ...`);
  const install = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${names}`;
  const { status } = spawnSync(install, { shell: true, stdio: ["ignore", process.stderr, "inherit"] });
  if (status !== 0) note(`Installing ${names} failed; the tests that need it will say so.`);
}

function isThere(command, args) {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}
