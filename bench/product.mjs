// The product as people run it: the real command with a store in a file, spoken to over its public interface.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHost } from "./host.mjs";
import { createFolder, removeFolder, startCommand } from "./processes.mjs";

const main = fileURLToPath(new URL("../packages/cli/dist/bundle/plenary.js", import.meta.url));
export const token = "bench";
/** In the answer to an envelope that was taken, and in no other. */
export const acknowledged = '"events":[]}}';
export const authorization = `Bearer ${token}`;

// To look closer: another store, such as `:memory:`, and a folder for CPU profiles of the floor.
const { PLENARY_BENCH_STORE, PLENARY_BENCH_PROFILES } = process.env;
const profiling =
  PLENARY_BENCH_PROFILES === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${PLENARY_BENCH_PROFILES}`];

export async function startProduct({ store = PLENARY_BENCH_STORE, hasAgents = false } = {}) {
  const folder = createFolder();
  const file = store ?? join(folder, "floor.db");
  const options = [
    "--port",
    "0",
    "--json",
    "--token",
    token,
    "--store",
    file,
    "--health-port",
    "0",
    ...(hasAgents ? [] : ["--no-demo"]),
  ];
  const { announced, pid, stop } = await startCommand([...profiling, main, "serve", ...options]);
  const { url } = announced;
  return {
    url,
    pid,
    healthUrl: announced.healthUrl,
    port: Number(new URL(url).port),
    ...createHost(url, token),
    async stop() {
      await stop();
      removeFolder(folder);
    },
  };
}
