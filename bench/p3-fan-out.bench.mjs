// P3: the same as P2 in one conversation that many look on: taken, durable, answered, and seen by all.
import { join } from "node:path";
import { createFolder, startWorker } from "./processes.mjs";
import { acknowledged, authorization, startProduct } from "./product.mjs";
import { verdict } from "./ratio.mjs";
import { measureRounds, sharesOf, tellShares, tellSides } from "./rounds.mjs";
import { lanesOf } from "./speech.mjs";

const target = 0.7;
const connections = 64;
const [rounds, sliceMs] = [7, 700];
const people = ["ann", "bob", "cid", "dea"].map((name) => `tag:${name}.example.com,2025:1`);

const [load, viewers] = await Promise.all([
  startWorker(import.meta.resolve("./http-load.mjs")),
  startWorker(import.meta.resolve("./viewers.mjs")),
]);

async function productSide(viewerCount) {
  const floor = await startProduct();
  const conversation = "conv:watched";
  const seq = await floor.converse(conversation, people);
  const paths = Array.from({ length: viewerCount }, (_, index) => {
    const speaker = people[index % people.length];
    return `/openfloor/ws?${new URLSearchParams({ speaker, conversation, after: seq })}`;
  });
  return { ...floor, conversation, path: "/openfloor", headers: { authorization }, marker: acknowledged, paths };
}

async function idealSide(viewerCount, rows) {
  const file = join(createFolder(), "log.db");
  const floor = await startWorker(import.meta.resolve("./ideal-floor.mjs"), { kind: "accept", rows, file });
  const paths = Array.from({ length: viewerCount }, () => "/");
  return { ...floor, ...floor.started, conversation: "conv:watched", path: "/", headers: {}, paths };
}

/** The load ends when the last viewer has seen the last of it. */
async function watched(name, { pid, port, path, headers, marker, paths, conversation, stop }) {
  const lanes = lanesOf(connections, { speaker: people[0], conversation: () => conversation });
  await viewers.ask("open", { name, port, headers, paths });
  await load.ask("open", { name, port, headers, path, marker, lanes });
  const order = { frames: 0, violations: 0 };
  const run = async () => {
    const startedAt = performance.now();
    const slice = await load.ask("run", { name, ms: sliceMs });
    order.frames += slice.count;
    const { violations, tooMany } = await viewers.ask("seen", { name, frames: order.frames });
    order.violations = violations + tooMany;
    return { ...slice, tookMs: performance.now() - startedAt };
  };
  const close = async () => {
    await viewers.ask("close", { name });
    await stop();
  };
  return { pid, run, order, close };
}

async function measure(viewerCount) {
  const sides = {
    product: await watched("product", await productSide(viewerCount)),
    ideal: await watched("ideal", await idealSide(viewerCount, "same")),
    "one insert": await watched("one insert", await idealSide(viewerCount, "one")),
  };
  const title = `${viewerCount} viewers`;
  const measured = await measureRounds(sides, { rounds });
  tellSides(title, measured);
  const shares = sharesOf(measured.product, measured.ideal);
  tellShares(`${title}, product to ideal`, shares);
  tellShares(`${title}, product to one insert`, sharesOf(measured.product, measured["one insert"]));
  const { frames, violations } = sides.product.order;
  console.log(`# ${title}, order: ${violations} violations in ${frames} frames of a sampled viewer`);
  for (const { close } of Object.values(sides)) await close();
  return { byCpu: shares.byCpu, violations };
}

// As in P2, the verdict is by what an utterance and its fan-out cost the server's CPU.
for (const viewerCount of [10, 100]) {
  const { byCpu, violations } = await measure(viewerCount);
  verdict(`p3-fan-out-${viewerCount}`, byCpu, target, byCpu >= target && violations === 0);
}
process.exit(0);
