// P4 and P5: a user speaks, the agent answers, the user hears it; against ideal floors, and beside what people use today.
import { orderViolationsIn } from "./host.mjs";
import { median, verdict } from "./ratio.mjs";
import { echoSide, idealSide, productSide, rivalSides, startSides } from "./round-trip-sides.mjs";
import { measureRounds, ratioOf, sharesOf, tellShares, tellSides } from "./rounds.mjs";
import { orderOf } from "./speech.mjs";

const targets = { socket: 0.6, http: 0.7, latency: 1.4 };
const kinds = ["socket", "http"];
const many = { users: 32, sliceMs: 600 };
const single = { users: 1, sliceMs: 400 };

async function floorsOf(sides, load) {
  const floors = {};
  for (const kind of kinds) {
    floors[`product, ${kind}`] = await productSide(sides, kind, load);
    floors[`ideal, ${kind}`] = await idealSide(sides, kind, "same", load);
    floors[`one insert, ${kind}`] = await idealSide(sides, kind, "one", load);
  }
  return floors;
}

/** Rates as shares of the bare echo agent's, as in the table of what people get today. */
function tellRivals(measured) {
  const { echo } = measured;
  for (const [name, slices] of Object.entries(measured)) {
    const share = ratioOf(slices, echo, "rate").toFixed(2);
    const perSecond = Math.round(median(slices.map(({ rate }) => rate)));
    console.log(`# 32 users, ${name}: ${share} of the bare echo agent's round trips (${perSecond}/s)`);
  }
}

const sides = await startSides();
const { rivals, product } = sides;
if (rivals.problem !== undefined) console.log(`# rivals not installed: ${rivals.problem}`);

const crowd = await measureRounds(
  {
    ...(await floorsOf(sides, many)),
    echo: await echoSide(sides, many),
    ...(rivals.problem === undefined && (await rivalSides(sides, many))),
  },
  { rounds: 7 },
);
tellSides("32 users", crowd);
tellRivals(crowd);
const shares = Object.fromEntries(
  kinds.map((kind) => [kind, sharesOf(crowd[`product, ${kind}`], crowd[`ideal, ${kind}`])]),
);
for (const kind of kinds) {
  tellShares(`32 users, product to ideal, ${kind}`, shares[kind]);
  tellShares(
    `32 users, product to one insert, ${kind}`,
    sharesOf(crowd[`product, ${kind}`], crowd[`one insert, ${kind}`]),
  );
}

const alone = await measureRounds(await floorsOf(sides, single), { rounds: 11, isWarm: true });
tellSides("1 user", alone);
const checked = await Promise.all(kinds.map((kind) => orderViolationsIn(product, `conv:${kind}-32-0`, orderOf)));
const violations = checked.reduce((sum, one) => sum + one.violations, 0);
console.log(
  `# order: ${violations} violations in logs of ${checked.map(({ entries }) => entries).join(" and ")} entries`,
);

// Floor, agent and users share the cores: with many users the verdict is by what a round trip costs the floor's CPU, with
// one it is by what the user waits.
for (const kind of kinds) {
  const { byCpu } = shares[kind];
  verdict(`p4-${kind}`, byCpu, targets[kind], byCpu >= targets[kind] && violations === 0);
}
for (const kind of kinds) {
  const ratio = ratioOf(alone[`product, ${kind}`], alone[`ideal, ${kind}`], "p50");
  verdict(`p5-${kind}-p50`, ratio, targets.latency, ratio <= targets.latency);
}
await product.stop();
process.exit(0);
