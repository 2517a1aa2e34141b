// The product as people run it: the real command with a store in a file, spoken to over its public interface.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Pool } from "./borrowed.mjs";
import { createFolder, removeFolder, startCommand } from "./processes.mjs";

const main = fileURLToPath(new URL("../packages/cli/dist/bundle/plenary.js", import.meta.url));
const token = "bench";
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
  const pool = new Pool(url, { connections: 32 });
  const call = async (path, body) => {
    const headers = { authorization, "content-type": "application/json" };
    const method = body === undefined ? "GET" : "POST";
    const { statusCode, body: answer } = await pool.request({ path, method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${path}: ${statusCode} ${text}`);
    return JSON.parse(text);
  };
  return {
    ...{ url, pid, call, healthUrl: announced.healthUrl },
    port: Number(new URL(url).port),
    /** A conversation with these people (the first owns it) and agents, given by identification. */
    async converse(id, people, agents = []) {
      const [owner, ...guests] = people.map((speakerUri) => ({ identification: { speakerUri } }));
      await call("/api/v1/conversations", { id, owner });
      for (const guest of guests) await call(seatPath(id), { ...guest, kind: "person" });
      for (const identification of agents) await call(seatPath(id), { identification, kind: "agent" });
    },
    async stop() {
      await pool.close();
      await stop();
      removeFolder(folder);
    },
  };
}

const seatPath = (id) => `/api/v1/conversations/${encodeURIComponent(id)}/seat`;

/** Reads a whole log and counts what is out of order: gaps, and words of one connection that overtook each other. */
export async function orderViolationsIn({ call }, id, orderOf) {
  let [violations, after] = [0, 0];
  const lastOf = new Map();
  for (;;) {
    const { entries } = await call(`/api/v1/conversations/${encodeURIComponent(id)}/log?limit=1000&after=${after}`);
    if (entries.length === 0) return { violations, entries: after };
    for (const { seq, kind, event } of entries) {
      if (seq !== after + 1) violations += 1;
      after = seq;
      if (kind !== "event" || event.eventType !== "utterance") continue;
      const { lane, count } = orderOf(event.parameters.dialogEvent.id);
      if (count <= (lastOf.get(lane) ?? -1)) violations += 1;
      lastOf.set(lane, count);
    }
  }
}
