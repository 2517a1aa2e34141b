import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { FileError } from "../file-error.ts";
import { printable } from "../printable.ts";

/** The program of an agent, and the folder it runs in. */
export type AgentProgram = { file: string; folder: string };

const usual = ["agent.js", "agent.mjs", "index.js"];

/** A file, or the folder of a package that names one. Throws a FileError that says what is missing. */
export function programAt(place: string, cwd: string): AgentProgram {
  const path = resolve(cwd, place);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new FileError("open", printable(place), "ENOENT", missing);
  if (!found.isDirectory()) return { file: realpathSync(path), folder: realpathSync(dirname(path)) };
  const file = [...mainOf(path), ...usual].map((name) => join(path, name)).find(isFile);
  if (file === undefined) throw new FileError("open", printable(place), "ENOENT", `it has no ${usual[0]}; ${remedy}`);
  return { file: realpathSync(file), folder: realpathSync(path) };
}

const remedy = "name the agent's file, or make an agent with plenary new-agent DIR";
const missing = `it is not there; ${remedy}`;

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function mainOf(folder: string): string[] {
  try {
    const { main }: { main?: unknown } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof main === "string" ? [main] : [];
  } catch {
    // None, or none that can be read: npm tells about that.
    return [];
  }
}
