// The built command, and scripts of a test, as processes that run beside the test. All of them end with it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { environment, main } from "./plenary-command.ts";
import { token } from "./start-test-floor.ts";

export type Started = ReturnType<typeof startProcess>;

type Spawn = { cwd: string; env?: NodeJS.ProcessEnv };

function startProcess(command: string, args: readonly string[], { cwd, env = environment() }: Spawn) {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.err += text;
  });
  // A process that does not read its input may end before it is written.
  child.stdin.on("error", () => {});
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, said, ended };
}

/** Starts commands in a folder of their own. They end with the test; with `isShared`, with the last test of the file. */
export function usePlenaryProcesses({ isShared = false } = {}) {
  const [before, after] = isShared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  const running: ChildProcess[] = [];
  const place = { folder: "" };
  before(() => {
    place.folder = mkdtempSync(join(tmpdir(), "plenary-serve-"));
  });
  after(() => {
    for (const child of running.splice(0)) child.kill("SIGKILL");
    rmSync(place.folder, { recursive: true });
  });
  const start = (args: readonly string[], env: Record<string, string> = {}, cwd = place.folder, input?: string) => {
    const started = startProcess(process.execPath, [main, ...args], { cwd, env: environment(env) });
    started.child.stdin.end(input);
    running.push(started.child);
    return started;
  };
  return { place, start };
}

/** The first line of the output. Throws with the errors of a process that ends without one. */
export async function firstLine({ child, said, ended }: Started): Promise<string> {
  while (!said.out.includes("\n")) {
    const end = await Promise.race([ended.then(() => "ended"), once(child.stdout, "data").then(() => "said")]);
    if (end === "ended") throw new Error(said.err);
  }
  return said.out.slice(0, said.out.indexOf("\n"));
}

export type FloorProcess = {
  url: string;
  port: number;
  pid: number;
  /** From the start of the process until `/readyz` answered 200. */
  readyMs: number;
  stderr: () => string;
  /** Resolves when the process has ended. */
  stop: (signal: NodeJS.Signals) => Promise<void>;
};

type FloorOptions = {
  port?: number;
  /** A command that runs Node, such as strace. */
  under?: readonly string[];
  /** Instead of `plenary serve`. Prints the same first line. */
  script?: string;
  nodeOptions?: readonly string[];
};

export type Processes = ReturnType<typeof createProcesses>;

export function createProcesses() {
  const folder = mkdtempSync(join(tmpdir(), "plenary-processes-"));
  const running = new Set<Started>();
  const start = (command: string, args: readonly string[]) => {
    const started = startProcess(command, args, { cwd: folder });
    running.add(started);
    started.ended.finally(() => running.delete(started));
    return started;
  };
  /** A process that prints one line of JSON when it is ready. */
  const announced = async (command: string, args: readonly string[]) => {
    const { child, ended, said: printed } = start(command, args);
    const lines = createInterface({ input: child.stdout });
    const nextLine = async (): Promise<string> => {
      const [line] = (await Promise.race([once(lines, "line"), ended.then(() => [])])) as [string?];
      if (line === undefined) throw new Error(`${args.join(" ")} ended: ${printed.err}`);
      return line;
    };
    const said = JSON.parse(await nextLine());
    const stop = async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await ended;
    };
    /** For scripts that answer each line of JSON with a line of JSON. */
    const ask = async <T>(question: object): Promise<T> => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      return JSON.parse(await nextLine()) as T;
    };
    return { said, pid: child.pid ?? 0, ask, stderr: () => printed.err, stop };
  };
  return {
    folder,
    announced,
    /** The built command with these arguments, which must include `--json`. */
    startPlenary: (args: readonly string[]) => announced(process.execPath, [main, ...args]),
    startFloor: async (file: string, options: FloorOptions = {}): Promise<FloorProcess> => {
      const { port = 0, under = [], script = main, nodeOptions = [] } = options;
      const serve = ["serve", "--port", String(port), "--json", "--token", token, "--store", file, "--no-demo"];
      const [command = "", ...args] = [...under, process.execPath, ...nodeOptions, script, ...serve];
      const startedAt = performance.now();
      const { said, pid, stderr, stop } = await announced(command, args);
      const { url } = said as { url: string };
      const { status } = await fetch(`${url}/readyz`);
      if (status !== 200) throw new Error(`/readyz answered ${status}`);
      return { url, port: Number(new URL(url).port), pid, readyMs: performance.now() - startedAt, stderr, stop };
    },
    startScript: (file: string, args: readonly string[] = [], nodeOptions: readonly string[] = []) =>
      announced(process.execPath, [...nodeOptions, file, ...args]),
    async close() {
      const all = [...running];
      for (const { child } of all) child.kill("SIGKILL");
      await Promise.all(all.map(({ ended }) => ended));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs any command to its end without blocking this process. */
export async function runIn(cwd: string, command: string, args: readonly string[]) {
  const { child, said, ended } = startProcess(command, args, { cwd });
  child.stdin.end();
  const exitCode = await ended;
  return { exitCode, ...said, output: `${said.out}${said.err}` };
}

/** `plenary verify` on a store. */
export async function verify(
  { folder }: Pick<Processes, "folder">,
  file: string,
): Promise<{ exitCode: number | null; text: string }> {
  const { exitCode, output } = await runIn(folder, process.execPath, [main, "verify", "--store", file]);
  return { exitCode, text: output.trim() };
}
