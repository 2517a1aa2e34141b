// P13: health checks on a port of their own while 3,000 connections ask for more than the floor can do.
import { request } from "node:http";
import { utterance1kb } from "./envelopes.mjs";
import { pause, startWorker } from "./processes.mjs";
import { authorization, startProduct } from "./product.mjs";
import { percentile, verdict } from "./ratio.mjs";

const connections = 3_000;
const [busyMs, everyMs] = [15_000, 100];
// A ratio is what was measured by the most that it may be.
const mostMs = 1_000;
const speaker = "tag:ann.example.com,2025:1";

const [product, flood] = await Promise.all([startProduct(), startWorker(import.meta.resolve("./any-load.mjs"))]);
const bodies = Array.from({ length: 64 }, (_, lane) => {
  const { openFloor } = JSON.parse(utterance1kb);
  openFloor.conversation.id = `conv:${lane}`;
  openFloor.sender = { speakerUri: speaker };
  openFloor.events[0].parameters.dialogEvent.speakerUri = speaker;
  return JSON.stringify({ openFloor });
});
for (const lane of bodies.keys()) await product.converse(`conv:${lane}`, [speaker]);

function probe(path) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const sent = request(`${product.healthUrl}${path}`, { agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve({ ms: performance.now() - startedAt, status: response.statusCode }));
    });
    sent.on("error", ({ code }) => resolve({ ms: performance.now() - startedAt, status: code }));
    sent.end();
  });
}

const requests = bodies.map((body) => ({ path: "/openfloor", headers: { authorization }, body }));
await flood.ask("begin", { port: product.port, connections, requests });
const startedAt = performance.now();
const probes = [];
while (performance.now() - startedAt < busyMs) {
  probes.push(Promise.all([probe("/livez"), probe("/readyz")]));
  await pause(everyMs);
}
const answers = (await Promise.all(probes)).flat();
const { counts } = await flood.ask("end");
const times = answers.map(({ ms }) => ms);
const [p50, p99, most] = [percentile(times, 0.5), percentile(times, 0.99), Math.max(...times)];
const failures = answers.filter(({ status }) => status !== 200);
const isWell = failures.length === 0;
console.log(`# ${connections} connections were answered: ${JSON.stringify(counts)}`);
if (!isWell) console.log(`# ${failures.length} checks failed: ${failures[0].status}`);
console.log(`# ${times.length} checks: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ${most.toFixed(0)} ms`);
verdict("p13-health", p99 / mostMs, 1, isWell && p99 <= mostMs);
await product.stop();
process.exit(0);
