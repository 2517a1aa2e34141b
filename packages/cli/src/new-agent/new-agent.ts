import { mkdir, readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { FileError } from "../errors.ts";
import type { ExitCode, Io } from "../io.ts";
import { shellQuote } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { writeFile } from "../output/write-file.ts";
import { install, pack, sdkPackages } from "./npm.ts";
import { agentFiles, nameAfter } from "./template.ts";

export type NewAgentOptions = { name?: string; install: boolean; json: boolean };

/** Creates a folder with an agent, its test and its dependencies. */
export async function newAgent(dir: string, options: NewAgentOptions, io: Io): Promise<ExitCode> {
  const folder = resolve(io.cwd, dir);
  const present = await contentsOf(folder, dir);
  if (present.length > 0) {
    const where = `${printable(dir)} is not empty: it has ${someOf(present)}`;
    await io.stderr.write(`plenary: ${where}; give another folder, or empty it. Nothing was written.\n`);
    return 1;
  }
  const named = nameAfter(folder, options.name);
  const kit = sdkPackages();
  const files = await agentFiles(named, kit.dependencies);
  for (const [file, text] of files) await writeFile(join(folder, file), text, io.cwd);
  const problem = await installSdk(kit.folders, folder, options, io);
  if (problem !== undefined) await io.stderr.write(`plenary: ${problemText(problem, dir)}`);
  const isInstalled = options.install && problem === undefined;
  const made = { folder, ...named, files: [...files.keys()], installed: isInstalled };
  if (options.json) await io.stdout.write(`${JSON.stringify(made)}\n`);
  else if (problem === undefined) await io.stdout.write(nextSteps(named.name, folder, isInstalled, io));
  return problem === undefined ? 0 : 1;
}

/** A folder with only .git counts as empty. */
async function contentsOf(folder: string, dir: string): Promise<string[]> {
  try {
    await mkdir(folder, { recursive: true });
    return (await readdir(folder)).filter((name) => name !== ".git").sort();
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const isFile = code === "EEXIST" || code === "ENOTDIR";
    if (isFile)
      throw new FileError("write", printable(dir), code, "there is a file of that name: give a folder", cause);
    throw FileError.from("write", printable(dir), cause);
  }
}

const namedMax = 4;

function someOf(present: readonly string[]): string {
  const some = present.slice(0, namedMax).map((name) => printable(name));
  const more = present.length - some.length;
  return more > 0 ? `${some.join(", ")} and ${more} more` : some.join(", ");
}

async function installSdk(
  folders: readonly string[] | undefined,
  folder: string,
  { install: isWanted, json }: NewAgentOptions,
  io: Io,
): Promise<string | undefined> {
  const tell = (text: string) => (json ? Promise.resolve() : io.stderr.write(`${text}\n`));
  if (folders !== undefined) {
    await tell("Packing the SDK ...");
    const problem = await pack(folders, folder, io);
    if (problem !== undefined) return `packing the SDK failed: ${printable(problem)}`;
  }
  if (!isWanted) return undefined;
  await tell("Installing dependencies ...");
  const problem = await install(folder, io);
  return problem && `npm install failed: ${printable(problem)}`;
}

function problemText(problem: string, dir: string): string {
  const again = `cd ${shellQuote(dir)} && npm install`;
  return `${problem}\nThe files were created. When the package registry is reachable, finish with: ${again}\n`;
}

function nextSteps(name: string, folder: string, isInstalled: boolean, { cwd }: Io): string {
  const path = shellQuote(relative(cwd, folder) || ".");
  const steps = [
    ...(isInstalled ? [] : [[`cd ${path} && npm install`, "install its dependencies"]]),
    [`npx plenary dev ${path}`, "run it on the floor of this machine"],
    [`npm test --prefix ${path}`, "run its test"],
  ];
  const width = Math.max(...steps.map(([command = ""]) => command.length));
  const lines = steps.map(([command = "", what]) => `  ${command.padEnd(width)}  ${what}\n`);
  return `\n${printable(name)} is in ${printable(path)}; its code is in agent.js. Next:\n\n${lines.join("")}\n`;
}
