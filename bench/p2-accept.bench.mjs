// P2: an utterance taken, durable and answered, against a pipeline that writes the same rows and knows no rules.
import { join } from "node:path";
import { orderViolationsIn } from "./host.mjs";
import { createFolder, startWorker } from "./processes.mjs";
import { acknowledged, authorization, startProduct } from "./product.mjs";
import { verdict } from "./ratio.mjs";
import { measureRounds, sharesOf, tellShares, tellSides } from "./rounds.mjs";
import { lanesOf, orderOf } from "./speech.mjs";

const target = 0.7;
const connections = 64;
const [rounds, sliceMs] = [9, 700];
const people = ["ann", "bob", "cid"].map((name) => `tag:${name}.example.com,2025:1`);
const crowded = "conv:crowded";

const folder = createFolder();
const startIdeal = (rows) => {
  const first = { kind: "accept", rows, file: join(folder, `${rows}.db`) };
  return startWorker(import.meta.resolve("./ideal-floor.mjs"), first);
};
const [product, same, one, load] = await Promise.all([
  startProduct(),
  startIdeal("same"),
  startIdeal("one"),
  startWorker(import.meta.resolve("./http-load.mjs")),
]);

const spread = (lane) => `conv:spread-${lane}`;
await product.converse(crowded, people);
for (let lane = 0; lane < connections; lane += 1) await product.converse(spread(lane), people);

async function loaded(name, { pid, port }, about) {
  const lanes = lanesOf(connections, { speaker: people[0], conversation: about.conversation });
  await load.ask("open", { name, port, lanes, path: about.path ?? "/", headers: about.headers, marker: about.marker });
  return { pid, run: () => load.ask("run", { name, ms: sliceMs }) };
}

async function measure(title, conversation) {
  const ours = { path: "/openfloor", headers: { authorization }, marker: acknowledged, conversation };
  const sides = {
    product: await loaded("product", product, ours),
    ideal: await loaded("ideal", { ...same, ...same.started }, { conversation }),
    "one insert": await loaded("one insert", { ...one, ...one.started }, { conversation }),
  };
  const measured = await measureRounds(sides, { rounds });
  tellSides(title, measured);
  const shares = sharesOf(measured.product, measured.ideal);
  tellShares(`${title}, product to ideal`, shares);
  tellShares(`${title}, product to one insert`, sharesOf(measured.product, measured["one insert"]));
  return shares;
}

const { byCpu } = await measure(`${connections} conversations`, spread);
await measure("all in one conversation", () => crowded);
const checked = await Promise.all([crowded, spread(0)].map((id) => orderViolationsIn(product, id, orderOf)));
const violations = checked.reduce((sum, one) => sum + one.violations, 0);
console.log(
  `# order: ${violations} violations in logs of ${checked.map(({ entries }) => entries).join(" and ")} entries`,
);

// Load generator and server share the cores, and one sync to disk takes as long for both sides: what an utterance costs
// the server's CPU is what the product adds. The rates above tell what somebody sees.
verdict("p2-accept", byCpu, target, byCpu >= target && violations === 0);
await product.stop();
process.exit(0);
