// Children of a benchmark, and what the system says about them. All of them end with the benchmark.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const children = new Set();
const folders = new Set();
const clockTicksPerSecond = 100;

process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/** A folder that is gone when the benchmark ends. */
export function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), "plenary-bench-"));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

function track(child) {
  children.add(child);
  const ended = once(child, "exit").finally(() => children.delete(child));
  const stop = async (signal = "SIGTERM") => {
    child.kill(signal);
    await ended;
  };
  return { child, pid: child.pid, ended, stop };
}

/** A command whose first line says in JSON where it is to be found. */
export async function startCommand(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const { ended, ...tracked } = track(child);
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, "line"), ended]);
  if (typeof line[0] !== "string") throw new Error(`${args.join(" ")} ended with ${line[0]}`);
  lines.close();
  return { ...tracked, announced: JSON.parse(line[0]) };
}

/**
 * A script of ours in its own process, so that its CPU time is its own. It handles questions one at a time with
 * `answerQuestions`; the first is what it is started with.
 */
export async function startWorker(url, first = {}, execArgv = []) {
  const { child, ended, ...tracked } = track(fork(new URL(url), [], { execArgv }));
  const ask = async (verb, about = {}) => {
    child.send({ verb, ...about });
    const [answer] = await Promise.race([
      once(child, "message"),
      ended.then(([code]) => [{ problem: `exit ${code}` }]),
    ]);
    if (answer?.problem !== undefined) throw new Error(`${verb}: ${answer.problem}`);
    return answer;
  };
  const started = await ask("start", first);
  return { ...tracked, ask, started };
}

/** The other end of `ask`: verbs -> what is done. */
export function answerQuestions(verbs) {
  process.on("message", async ({ verb, ...about }) => {
    try {
      process.send((await verbs[verb](about)) ?? {});
    } catch (error) {
      process.send({ problem: error.stack });
    }
  });
  process.on("disconnect", () => process.exit(0));
}

/**
 * User and system time of all threads of a process, in microseconds. The scheduler counts nanoseconds, and of a thread
 * that runs at this moment only until its last tick; where it does not tell, there are the ticks of 10 ms.
 */
export function cpuUsOf(pid) {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(`/proc/${pid}/schedstat`)) return cpuUsAt(pid, 11);
  const ofThread = (thread) => Number(readFileSync(`${threads}/${thread}/schedstat`, "utf8").split(" ")[0]);
  return readdirSync(threads).reduce((sum, thread) => sum + ofThread(thread), 0) / 1000;
}

/** The same of all children that have ended. */
export function childrenCpuUs() {
  return cpuUsAt("self", 13);
}

function cpuUsAt(pid, first) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return ((Number(fields[first]) + Number(fields[first + 1])) / clockTicksPerSecond) * 1e6;
}

export function rssBytesOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/mu.exec(status)[1]) * 1024;
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
