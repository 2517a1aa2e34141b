// What people use today for "a user speaks, an agent answers". Their packages are installed on demand, beside the project.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startWorker } from "./processes.mjs";

const folder = new URL("rivals/", import.meta.url);
const installMs = 120_000;

/** Returns why it could not be done, or nothing. */
async function install() {
  if (existsSync(new URL("node_modules/.package-lock.json", folder))) return undefined;
  try {
    const options = { cwd: fileURLToPath(folder), timeout: installMs };
    await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], options);
    return undefined;
  } catch (error) {
    const lines = String(error.stderr || error.message)
      .trim()
      .split("\n");
    return lines.find((line) => line.startsWith("npm error")) ?? lines[0];
  }
}

/** Servers of the rivals, or why there are none. */
export async function startRivals() {
  const problem = await install();
  if (problem !== undefined) return { problem };
  const start = (kind) => startWorker(import.meta.resolve("./rivals/servers.mjs"), { kind });
  const [a2a, mcp, socketIo, agent] = await Promise.all(["a2a", "mcp", "socketIo", "socketIoAgent"].map(start));
  await agent.ask("dial", socketIo.started);
  return { a2a, mcp, socketIo };
}
