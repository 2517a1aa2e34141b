import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Io } from "../io.ts";
import { printable } from "../output/sanitize.ts";
import type { Dependencies } from "./template.ts";

const names = ["@plenary/protocol", "@plenary/sdk"] as const;

/** The SDK packages a new agent depends on. */
export type SdkPackages = {
  /** Their folders in a checkout; absent when they came from a registry. */
  folders?: readonly string[];
  dependencies: Dependencies;
};

/** A checkout's packages are not published, so they are packed into the new agent, with those that they import. */
export function sdkPackages(): SdkPackages {
  const found = names.map(packageOf);
  const isInstalled = found.some(({ folder }) => /[\\/]node_modules[\\/]/u.test(folder));
  if (isInstalled) return { dependencies: Object.fromEntries(found.map(({ name, version }) => [name, version])) };
  // A set yields what is added to it meanwhile.
  const all = new Set<string>(names);
  const packed = Array.from(all, (name) => {
    const { dependencies, ...one } = packageOf(name);
    for (const needed of Object.keys(dependencies)) if (needed.startsWith("@plenary/")) all.add(needed);
    return one;
  });
  const files = packed.map(({ name, version }) => {
    return [name, `file:vendor/${name.replace("@", "").replace("/", "-")}-${version}.tgz`];
  });
  return { folders: packed.map(({ folder }) => folder), dependencies: Object.fromEntries(files) };
}

type PackageFile = { version: string; dependencies?: Dependencies };

function packageOf(name: string) {
  const file = fileURLToPath(import.meta.resolve(`${name}/package.json`));
  const { version, dependencies = {} }: PackageFile = JSON.parse(readFileSync(file, "utf8"));
  return { name, folder: dirname(file), version, dependencies };
}

/** Undefined on success, else the problem. */
export async function pack(folders: readonly string[], into: string, io: Io): Promise<string | undefined> {
  const vendor = join(into, "vendor");
  await mkdir(vendor, { recursive: true });
  return npm(["pack", "--loglevel=error", ...folders], { cwd: vendor, io, isQuiet: true });
}

export async function install(folder: string, io: Io): Promise<string | undefined> {
  return npm(["install", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder, io, isQuiet: false });
}

type NpmOptions = { cwd: string; io: Io; isQuiet: boolean };

const complaintMax = 4_000;

async function npm(args: readonly string[], { cwd, io, isQuiet }: NpmOptions): Promise<string | undefined> {
  const isWindows = process.platform === "win32";
  // On Windows npm is a script, which only a shell can start.
  const words = isWindows ? args.map((arg) => `"${arg}"`) : args;
  const child = spawn("npm", words, {
    cwd,
    env: ownEnvironment(io.env),
    shell: isWindows,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  const tell = (chunk: string) => {
    complaint = `${complaint}${chunk}`.slice(-complaintMax);
    // Progress goes to stderr; stdout has the result only.
    if (!isQuiet) void io.stderr.write(chunk.replaceAll(/[^\n]+/gu, (line) => `  ${printable(line)}`));
  };
  child.stderr.setEncoding("utf8").on("data", tell);
  child.stdout.setEncoding("utf8").on("data", tell);
  const ended = await new Promise<number | string | null>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(code));
  });
  if (ended === 0) return undefined;
  if (typeof ended === "string") return ended;
  return isQuiet ? complaint.trim() || `npm ended with ${ended}` : `npm ended with ${ended}`;
}

/** If npm started this process, its variables describe another package and must not reach the new npm. */
function ownEnvironment(env: Io["env"]): NodeJS.ProcessEnv {
  const foreign = /^(?:npm_(?:package|lifecycle)_|npm_config_(?:local_)?prefix$|npm_config_workspaces?$|INIT_CWD$)/iu;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}
