// P12: what strangers cost: their worst nonsense in CPU time, and p50 of others while 8 of them send it at full speed.
import { parseEnvelope } from "@plenary/protocol";
import { nonsense } from "./nonsense.mjs";
import { startWorker } from "./processes.mjs";
import { acknowledged, authorization, startProduct } from "./product.mjs";
import { median, verdict } from "./ratio.mjs";
import { measureRounds, ratioOf, tellSides } from "./rounds.mjs";
import { lanesOf } from "./speech.mjs";

const cpuMsMost = 10;
const [users, strangers] = [8, 8];
const [rounds, sliceMs] = [9, 1_000];
const [warmUps, times] = [30, 25];
const speaker = "tag:ann.example.com,2025:1";

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The median in a warm process, so that neither compilers nor the collector at work elsewhere count; and the first time. */
function costOf(text) {
  const costs = [];
  for (let time = 0; time < warmUps + times; time += 1) {
    const before = cpuMs();
    parseEnvelope(text, { now: "2025-01-01T00:00:00Z", newId: () => "id" });
    costs.push(cpuMs() - before);
  }
  return { ms: median(costs.slice(warmUps)), firstMs: costs[0] };
}

const costs = Object.entries(nonsense).map(([name, text]) => ({ name, bytes: text.length, ...costOf(text) }));
costs.sort((a, b) => b.ms - a.ms);
for (const { name, bytes, ms, firstMs } of costs) {
  console.log(`# ${name}, ${bytes} bytes: ${ms.toFixed(2)} ms of CPU to read, the first time ${firstMs.toFixed(0)} ms`);
}
const worst = costs[0].ms / cpuMsMost;
console.log(`# target: ${cpuMsMost} ms of CPU for the worst`);
verdict("p12-nonsense", worst, 1, worst <= 1);

const [product, load, flood] = await Promise.all([
  startProduct({ hasAgents: true }),
  startWorker(import.meta.resolve("./http-load.mjs")),
  startWorker(import.meta.resolve("./any-load.mjs")),
]);
const conversation = (lane) => `conv:${lane}`;
for (let lane = 0; lane < users; lane += 1) await product.converse(conversation(lane), [speaker]);
const relay = `/openfloor/at/${Buffer.from(speaker).toString("base64url")}`;
const requests = costs.slice(0, 4).flatMap(({ name }) => {
  const body = nonsense[name];
  return ["/agents/echo", relay].map((path) => ({ path, headers: {}, body }));
});
const { port, pid } = product;
const lanes = lanesOf(users, { speaker, conversation });
await load.ask("open", {
  name: "p12",
  port,
  lanes,
  path: "/openfloor",
  headers: { authorization },
  marker: acknowledged,
});
const run = () => load.ask("run", { name: "p12", ms: sliceMs });
const statuses = {};
const sides = {
  alone: { pid, run },
  "beside strangers": {
    pid,
    async run() {
      await flood.ask("begin", { port, connections: strangers, requests });
      const measured = await run();
      const { counts } = await flood.ask("end");
      for (const [status, count] of Object.entries(counts)) statuses[status] = (statuses[status] ?? 0) + count;
      return measured;
    },
  },
};
const measured = await measureRounds(sides, { rounds });
tellSides(`${users} users`, measured);
console.log(`# strangers were answered: ${JSON.stringify(statuses)}`);
const ratio = ratioOf(measured["beside strangers"], measured.alone, "p50");
verdict("p12-strangers", ratio, 2, ratio <= 2);
await product.stop();
process.exit(0);
