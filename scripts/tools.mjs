// Tools of the platform that some tests need. Installed where we may; elsewhere the tests that need them say so.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { note, root } from "./bootstrap.mjs";

/** The command that shows it is there, and the package that brings it. */
const tools = [
  { command: "strace", args: ["-V"], package: "strace" },
  { command: "chromium-headless-shell", args: ["--version"], package: "chromium-headless-shell" },
  { command: "tmux", args: ["-V"], package: "tmux" },
];

/** Runtimes that the client is tested in, from npm. They are large, and nothing but these tests needs them. */
const runtimes = { bun: "1.4.4", deno: "2.9.6" };
const runtimesFolder = join(root, "node_modules/.cache/plenary/runtimes");

function installRuntimes() {
  const isInstalled = Object.keys(runtimes).every((name) =>
    existsSync(join(runtimesFolder, "node_modules/.bin", name)),
  );
  if (isInstalled) return;
  note("Installing Bun and Deno ...");
  mkdirSync(runtimesFolder, { recursive: true });
  const allowScripts = Object.fromEntries(Object.keys(runtimes).map((name) => [name, true]));
  const manifest = { name: "runtimes", private: true, dependencies: runtimes, allowScripts };
  writeFileSync(join(runtimesFolder, "package.json"), JSON.stringify(manifest));
  const command = "npm install --no-audit --no-fund --no-package-lock";
  const options = { cwd: runtimesFolder, shell: true, stdio: ["ignore", process.stderr, "inherit"] };
  if (spawnSync(command, options).status !== 0)
    note("Installing Bun and Deno failed; the tests that need them will say so.");
}

/** Never throws: whether a missing tool is a failure is for the test to say. */
export function installTools() {
  installRuntimes();
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
