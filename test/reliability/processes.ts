// Real processes: the built floor, and whatever talks to it from outside. All of them end with their test.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { main } from "../cli/plenary.ts";
import { get } from "./raw-http.ts";

export const token = "operators-token";
export const isNightly = process.env.PLENARY_NIGHTLY === "1";

/** Another one in each run, unless one is to be seen again. */
export function newSeed(): number {
  return Number(process.env.PLENARY_SEED ?? Date.now() % 1_000_000);
}

/** Figures for whoever reads the output of a run. */
export function tell(text: string): void {
  process.stdout.write(`[reliability] ${text}\n`);
}

export type FloorProcess = {
  url: string;
  port: number;
  pid: number;
  /** From the start of the process until `/readyz` said yes. */
  readyMs: number;
  stderr: () => string;
  /** Resolves when the process is gone. */
  stop: (signal: NodeJS.Signals) => Promise<void>;
};

type FloorOptions = {
  port?: number;
  /** What runs it instead of Node alone. */
  under?: readonly string[];
  /** Instead of `plenary serve`. Prints the same first line. */
  script?: string;
  nodeOptions?: readonly string[];
};

export type Processes = ReturnType<typeof createProcesses>;

export function createProcesses() {
  const folder = mkdtempSync(join(tmpdir(), "plenary-reliability-"));
  const children = new Set<ChildProcess>();
  const start = (command: string, args: readonly string[]) => {
    const child = spawn(command, args, { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
    children.add(child);
    let complaints = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaints = `${complaints}${text}`.slice(-20_000);
    });
    const ended = once(child, "close").finally(() => children.delete(child));
    return { child, ended, stderr: () => complaints };
  };
  /** A process that says on its first line, in JSON, where it is to be found. */
  const announced = async (command: string, args: readonly string[]) => {
    const { child, ended, stderr } = start(command, args);
    const lines = createInterface({ input: child.stdout });
    const [line] = await Promise.race([once(lines, "line"), ended]);
    if (typeof line !== "string") throw new Error(`${args.join(" ")} ended: ${stderr()}`);
    const stop = async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await ended;
    };
    /** For scripts that take a line and answer with a line, both JSON. */
    const ask = async <T>(question: object): Promise<T> => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const [answer] = await Promise.race([once(lines, "line"), ended]);
      if (typeof answer !== "string") throw new Error(`${args.join(" ")} ended: ${stderr()}`);
      return JSON.parse(answer) as T;
    };
    return { said: JSON.parse(line), pid: child.pid ?? 0, ask, stderr, stop };
  };
  return {
    folder,
    announced,
    startFloor: async (file: string, options: FloorOptions = {}): Promise<FloorProcess> => {
      const { port = 0, under = [], script = main, nodeOptions = [] } = options;
      const serve = ["serve", "--port", String(port), "--json", "--token", token, "--store", file, "--no-demo"];
      const [command = "", ...args] = [...under, process.execPath, ...nodeOptions, script, ...serve];
      const startedAt = performance.now();
      const { said, pid, stderr, stop } = await announced(command, args);
      const { url } = said as { url: string };
      const { status } = await get(`${url}/readyz`);
      if (status !== 200) throw new Error(`/readyz answered ${status}`);
      return { url, port: Number(new URL(url).port), pid, readyMs: performance.now() - startedAt, stderr, stop };
    },
    /** A script beside this file. */
    startScript: (name: string, args: readonly string[] = [], nodeOptions: readonly string[] = []) =>
      announced(process.execPath, [...nodeOptions, join(import.meta.dirname, name), ...args]),
    async close() {
      for (const child of children) child.kill("SIGKILL");
      await Promise.all([...children].map((child) => once(child, "close")));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What `plenary verify` says of a store, and whether it is content. */
export async function verify(processes: Processes, file: string): Promise<{ exitCode: number; text: string }> {
  const child = spawn(process.execPath, [main, "verify", "--store", file], { cwd: processes.folder });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
  }
  const [exitCode] = await once(child, "close");
  return { exitCode: exitCode as number, text: text.trim() };
}

export function rssBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) * 1_024;
}

/** What a process and its threads have used of the processors. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The value below which this part of them lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Looks again and again until it is so; what is the matter instead is told when that takes too long. */
export async function until<T>(look: () => Promise<T | undefined>, what: string, withinMs = 60_000): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
