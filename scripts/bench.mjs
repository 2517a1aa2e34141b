// Runs bench/*.bench.mjs one after another. Each prints lines of the form `name ratio target pass|fail`.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bootstrap, note, root } from "./bootstrap.mjs";

const verdictLine = /^\S+\s+\S+\s+\S+\s+(pass|fail)$/;

async function runAll() {
  bootstrap();
  const folder = join(root, "bench");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".bench.mjs")) : [];
  if (files.length === 0) throw new Error("There is no bench/*.bench.mjs to run.");
  let passed = true;
  for (const name of files.sort()) passed = (await runBench(join(folder, name))) && passed;
  return passed;
}

async function runBench(file) {
  const child = spawn(process.execPath, [file], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.on("close", resolve));
  const verdicts = [];
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    const verdict = verdictLine.exec(line.trim())?.[1];
    if (verdict !== undefined) verdicts.push(verdict);
  }
  const status = await exited;
  if (status !== 0) note(`${file} ended with ${status}.`);
  if (verdicts.length === 0) note(`${file} printed no result.`);
  return status === 0 && verdicts.length > 0 && !verdicts.includes("fail");
}

try {
  process.exitCode = (await runAll()) ? 0 : 1;
} catch (error) {
  note(error.message);
  process.exitCode = 1;
}
