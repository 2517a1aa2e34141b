// P11: a catalogue of 10,000 manifests: finding who can serve, hearing of one more, and being ready after a restart.
import { join } from "node:path";
import { createCatalogue } from "@plenary/agents";
import { createSqliteStore } from "@plenary/server";
import { createWorld } from "./manifests.mjs";
import { createFolder, removeFolder } from "./processes.mjs";
import { median, percentile, verdict } from "./ratio.mjs";

const count = 10_000;
// Milliseconds. A ratio is what was measured by the most that it may be, so 1 is the target of each.
const most = { find: 10, add: 5, restart: 2_000 };
const requestsAsked = 2_000;
const added = 1_000;
const restarts = 5;
const now = () => Date.parse("2025-05-02T09:00:00.000Z");
const heard = { at: "2025-05-02T09:00:00.000Z", source: "itself" };

const { manifests, requests } = createWorld(count + added);
const folder = createFolder();
const file = join(folder, "catalogue.db");

async function opened() {
  const store = createSqliteStore(file);
  const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
  const catalogue = createCatalogue(store.catalogue, { now });
  await catalogue.load();
  const [readyMs, readyCpuMs] = [performance.now() - startedAt, cpuMs() - cpuBefore];
  const close = async () => {
    await catalogue.close();
    await store.close();
  };
  return { catalogue, readyMs, readyCpuMs, close };
}

/** A busy machine makes everything wait; this does not count the waiting. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Of each one by itself: by the clock, and of the CPU. */
function timesOf(list, run) {
  const [times, cpuTimes] = [[], []];
  for (const one of list) {
    const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
    run(one);
    cpuTimes.push(cpuMs() - cpuBefore);
    times.push(performance.now() - startedAt);
  }
  return [times, cpuTimes];
}

function tell(what, times) {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => percentile(times, part).toFixed(2));
  console.log(`# ${what}: p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, most ${Math.max(...times).toFixed(1)} ms`);
}

const first = await opened();
for (const manifest of manifests.slice(0, count)) first.catalogue.add(manifest, heard);
await first.close();

const [starts, startsCpu] = [[], []];
for (let start = 0; start < restarts; start += 1) {
  const { readyMs, readyCpuMs, catalogue, close } = await opened();
  if (catalogue.size !== count) throw new Error(`${catalogue.size} manifests were kept`);
  starts.push(readyMs);
  startsCpu.push(readyCpuMs);
  await close();
}
const { catalogue, close } = await opened();
const asked = requests(requestsAsked);
for (const text of asked.slice(0, 200)) catalogue.find({ text });
let hits = 0;
const [finds, findsCpu] = timesOf(asked, (text) => (hits += catalogue.find({ text }).length));
const [adds, addsCpu] = timesOf(manifests.slice(count), (manifest) => catalogue.add(manifest, heard));
await close();
removeFolder(folder);

const capabilities = manifests.slice(0, count).reduce((sum, one) => sum + one.capabilities.length, 0);
console.log(`# ${count} manifests with ${capabilities} capabilities, ${asked.length} requests, ${hits} found`);
tell("finding", finds);
tell("finding, CPU", findsCpu);
tell("adding", adds);
tell("adding, CPU", addsCpu);
console.log(`# CPU of a restart: ${startsCpu.map((ms) => ms.toFixed(0)).join(", ")} ms`);
console.log(`# ready after a restart: ${starts.map((ms) => ms.toFixed(0)).join(", ")} ms`);
const [find, add, restart] = [percentile(finds, 0.95), percentile(adds, 0.95), median(starts)];
console.log(`# targets: find p95 ${most.find} ms, add p95 ${most.add} ms, restart ${most.restart} ms`);
verdict("p11-find", find / most.find, 1, find <= most.find);
verdict("p11-add", add / most.add, 1, add <= most.add);
verdict("p11-restart", restart / most.restart, 1, restart <= most.restart);
