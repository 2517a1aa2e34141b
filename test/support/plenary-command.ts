// The built command as a shell runs it: to its end, with its output.
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");
export const main = join(root, "packages/cli/dist/bundle/plenary.js");
export const fixtures = join(root, "test/cli/fixtures");

if (!existsSync(main)) {
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error("The build failed.");
}

type Options = Pick<SpawnSyncOptions, "cwd" | "input" | "uid"> & { env?: Record<string, string> };

export type Outcome = { exitCode: number | null; stdout: string; stderr: string };

/** In the folder of the fixtures by default, and without the caller's settings for colours. */
export function plenary(args: readonly string[], { env = {}, ...options }: Options = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: fixtures,
    encoding: "utf8",
    env: environment(env),
    ...options,
  });
  return { exitCode: status, stdout, stderr };
}

/** The recorder checks the answers of floors in the process. */
const preload = `--import=${pathToFileURL(join(import.meta.dirname, "contract/preload.mjs")).href}`;

export function environment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { NO_COLOR: _no, FORCE_COLOR: _force, PLENARY_DEBUG: _debug, ...rest } = process.env;
  return { ...rest, NODE_OPTIONS: preload, ...env };
}
