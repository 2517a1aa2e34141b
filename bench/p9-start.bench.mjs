// P9: from the command to a floor that is ready, with a long past in its store against none.
import { join } from "node:path";
import { createFolder, removeFolder, startWorker } from "./processes.mjs";
import { startProduct } from "./product.mjs";
import { median, verdict } from "./ratio.mjs";

const target = 2;
const starts = 9;
const past = { entries: 1_000_000, perConversation: 1_000, perEnvelope: 99 };

/** Through the store port, with the floor's own decisions; only the way over HTTP is left out. */
async function fill(file) {
  const startedAt = performance.now();
  const filler = await startWorker(import.meta.resolve("./floor-process.mjs"), { file });
  const { written } = await filler.ask("fill", past);
  await filler.ask("close");
  await filler.stop();
  console.log(`# a store of ${written} entries, written in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

async function startMs(store) {
  const startedAt = performance.now();
  const floor = await startProduct({ store });
  const { status } = await fetch(`${floor.url}/readyz`);
  const tookMs = performance.now() - startedAt;
  if (status !== 200) throw new Error(`/readyz: ${status}`);
  await floor.stop();
  return tookMs;
}

const folder = createFolder();
const file = join(folder, "past.db");
await fill(file);
const [full, empty] = [[], []];
for (let start = -1; start < starts; start += 1) {
  const times = { full: await startMs(file), empty: await startMs(join(folder, `empty-${start}.db`)) };
  if (start < 0) continue;
  full.push(times.full);
  empty.push(times.empty);
}
removeFolder(folder);
const ratio = median(full.map((ms, start) => ms / empty[start]));
console.log(
  `# cold start to ready: ${median(full).toFixed(0)} ms against ${median(empty).toFixed(0)} ms of an empty store`,
);
verdict("p9-cold-start", ratio, target, ratio <= target);
process.exit(0);
