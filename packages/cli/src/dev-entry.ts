import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { FileError } from "./file-error.ts";
import { printable } from "./printable.ts";

/** The program of an agent, and the folder it runs in. */
export type Entry = { file: string; folder: string };

const usual = ["agent.js", "agent.mjs", "index.js"];

/** A file, or the folder of a package that names one. Throws a FileError that says what is missing. */
export function entryAt(place: string, cwd: string): Entry {
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

// Below those that systems hand out by themselves.
const portsFrom = 20_000;
const portsCount = 10_000;

/**
 * A free port, the same one for the same program whenever it is free: a floor trusts a speaker at the address it first came
 * from.
 */
export async function portFor({ file }: Entry): Promise<number> {
  const wanted = portsFrom + (createHash("sha256").update(file).digest().readUInt32BE() % portsCount);
  return (await freePort(wanted)) ?? (await freePort(0)) ?? wanted;
}

async function freePort(wanted: number): Promise<number | undefined> {
  const server = createServer().listen(wanted, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
