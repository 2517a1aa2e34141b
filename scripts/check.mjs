// Runs every `check:*` script of package.json, two at a time, and reports all failures, not just the first.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { install, note, root } from "./bootstrap.mjs";

const concurrency = 2;

async function check() {
  install();
  const waiting = steps();
  const results = [];
  const worker = async () => {
    while (waiting.length > 0) results.push(report(await runStep(waiting.shift())));
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results.every((passed) => passed);
}

function steps() {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.entries(scripts)
    .filter(([name]) => name.startsWith("check:"))
    .map(([name, commandLine]) => ({ name, commandLine }));
}

function runStep({ name, commandLine }) {
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(commandLine, { cwd: root, shell: true, env: { ...process.env, PATH: path } });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", reject);
    child.on("close", (status) => resolve({ name, output, passed: status === 0, tookMs: Date.now() - startedAt }));
  });
}

function report({ name, output, passed, tookMs }) {
  console.log(`${passed ? "ok  " : "FAIL"} ${name} (${(tookMs / 1000).toFixed(1)} s)`);
  if (!passed) console.log(output.trimEnd());
  return passed;
}

try {
  process.exitCode = (await check()) ? 0 : 1;
} catch (error) {
  note(error.message);
  process.exitCode = 1;
}
