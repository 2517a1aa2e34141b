import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { FileError, messageOf } from "../errors.ts";
import type { Io } from "../io.ts";
import { printable } from "../output/sanitize.ts";

/** An agent's main file and working folder. */
export type AgentProgram = { file: string; folder: string };

const usual = ["agent.js", "agent.mjs", "index.js"];

/** Finds the main file of a file or folder. Throws a FileError. */
export function programAt(place: string, cwd: string): AgentProgram {
  const path = resolve(cwd, place);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new FileError("open", printable(place), "ENOENT", missing);
  if (!found.isDirectory()) return { file: realpathSync(path), folder: realpathSync(dirname(path)) };
  const file = [...mainOf(path), ...usual].map((name) => join(path, name)).find(isFile);
  if (file === undefined) throw new FileError("open", printable(place), "ENOENT", `it has no ${usual[0]}; ${remedy}`);
  return { file: realpathSync(file), folder: realpathSync(path) };
}

const remedy = "give the agent's file, or create an agent with plenary new-agent DIR";
const missing = `it does not exist; ${remedy}`;

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function mainOf(folder: string): string[] {
  try {
    const { main }: { main?: unknown } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof main === "string" ? [main] : [];
  } catch {
    // No readable package.json.
    return [];
  }
}

export type AgentProcess = ReturnType<typeof startAgent>;

type Listeners = {
  onLine: (line: string, stream: "stdout" | "stderr") => void;
  /** A file the agent loaded. */
  onFile: (file: string) => void;
};

/** Runs an agent with Node on this port. It ends with this process. */
export function startAgent({ file, folder }: AgentProgram, port: number, io: Io, listeners: Listeners) {
  const companion = new URL("./agent-preload.js", import.meta.url).href;
  const child = spawn(process.execPath, ["--import", companion, file], {
    cwd: folder,
    env: environmentOf(io.env, port),
    // Its own process group: Ctrl+C must reach only this command, which uninvites the agent first.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  child.on("message", (message) => {
    for (const loaded of filesIn(message)) listeners.onFile(loaded);
  });
  for (const stream of ["stdout", "stderr"] as const) {
    eachLine(child[stream], (line) => listeners.onLine(line, stream));
  }
  /** Resolves with the reason when the process ended. */
  const ended = endOf(child);
  return { ended, stop: (patienceMs: number) => stop(child, ended, patienceMs) };
}

/** Without the operator's token: the agent's code must not get it. */
function environmentOf(env: Io["env"], port: number): NodeJS.ProcessEnv {
  const { PLENARY_TOKEN: _, ...others } = env;
  // With this variable Node reports the files a program loads, as for --watch.
  return { ...others, PORT: String(port), WATCH_REPORT_DEPENDENCIES: "1" };
}

function filesIn(message: unknown): string[] {
  const reported: Record<string, unknown> = typeof message === "object" && message !== null ? { ...message } : {};
  const places = ["watch:import", "watch:require"].flatMap((key) => reported[key] ?? []);
  return places.flatMap((place) => {
    if (typeof place !== "string") return [];
    if (place.startsWith("file:")) return [fileURLToPath(place)];
    return place.includes(":") && !/^[a-z]:\\/iu.test(place) ? [] : [place];
  });
}

const lineMax = 4_000;

/** A very long line is passed on in pieces. */
function eachLine(stream: ChildProcess["stdout"], onLine: (line: string) => void): void {
  let rest = "";
  stream?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
    if (rest.length <= lineMax) return;
    onLine(rest);
    rest = "";
  });
  stream?.on("end", () => rest !== "" && onLine(rest));
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    // Not "close": it is never emitted after disconnect().
    const [code, signal] = await once(child, "exit");
    // Its own child processes would go on and keep the streams open.
    killGroup(child);
    await Promise.all([child.stdout, child.stderr].map((stream) => stream && finished(stream).catch(() => undefined)));
    return signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
  } catch (cause) {
    return messageOf(cause);
  }
}

/** Lets it finish its answers for this time, then kills it. */
async function stop(child: ChildProcess, ended: Promise<string>, patienceMs: number): Promise<void> {
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => killGroup(child), patienceMs);
  await ended;
  clearTimeout(timer);
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The group is gone.
  }
}
