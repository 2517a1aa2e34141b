// T3: whole runs from a seed, with everything going wrong that can. A failing seed is seen again by `npm run simulate`.
import { expect, test } from "vitest";
import { readArguments, runSimulations } from "./command.ts";
import { addFaults, faultKinds, noFaults } from "./faults.ts";
import { simulate } from "./simulate.ts";

const nightly = process.env.PLENARY_NIGHTLY === "1";
// Each commit sees the same runs, each night others.
const first = Number(process.env.PLENARY_SEED ?? (nightly ? 1_000 + Math.floor(Date.now() / 60_000) * 20_000 : 1));
const seedsMax = Number(process.env.SEEDS ?? (nightly ? 20_000 : 120));
/** Only a nightly run ends by the clock, and only there speed is judged: a busy machine is slow. */
const secondsMax = nightly ? 3_000 : Number.POSITIVE_INFINITY;
/** A bound against hanging. */
const timeoutMs = nightly ? 3_600_000 : 900_000;
/** Of each kind of fault, in 200 runs. */
const strikesMin = 20;

/** Seeds that found something once, and what. */
const found: readonly [seed: number, what: string][] = [
  [9, "a clock set back kept a delivery going, and its target spared, for an hour"],
  [86, "a promised answer that was stopped left its delivery in the outbox, to go out again after each restart"],
  [126, "a viewer that came while something was being written read the log again and again without a pause"],
  [152, "the copy of an envelope was acknowledged though the disk had refused the first"],
];

const howToSee = (seed: number) => `npm run simulate -- --seed ${seed}`;

test("whatever happens, the invariants hold", { timeout: timeoutMs }, async () => {
  const startedMs = performance.now();
  const faults = noFaults();
  let [runs, virtualMs, entries, stops] = [0, 0, 0, 0];
  for (; runs < seedsMax && performance.now() - startedMs < secondsMax * 1_000; runs += 1) {
    const run = await simulate(first + runs);
    expect(run.problems.slice(0, 10), howToSee(run.seed)).toEqual([]);
    addFaults(faults, run.faults);
    virtualMs += run.virtualMs;
    entries += run.entries;
    const reasons = run.evidence.logs.flatMap((log) => log.entries.map(({ because }) => because));
    stops += reasons.filter((because) => because.startsWith("command/pause/")).length;
  }
  const realMs = performance.now() - startedMs;
  const speed = Math.round(virtualMs / realMs);
  console.log(
    `seeds ${first}..${first + runs - 1}: ${entries} entries, ${(realMs / 1_000).toFixed(1)} s, ${speed} x real time`,
  );
  console.log(faultKinds.map((kind) => `${kind} ${faults[kind]}`).join(", "));
  if (nightly) expect(speed).toBeGreaterThanOrEqual(100);
  expect(stops, "times that somebody stopped the agents").toBeGreaterThan(runs / 5);
  const rare = faultKinds.filter((kind) => faults[kind] < (strikesMin * runs) / 200);
  expect(rare, "faults that hardly ever strike any more").toEqual([]);
});

test("the same seed gives the same run", async () => {
  for (const seed of [first, first + 1, first + 7, first + 19]) {
    const { hash } = await simulate(seed);
    expect((await simulate(seed, { isTraced: true })).hash, howToSee(seed)).toBe(hash);
  }
});

test("what was found once is not there any more", async () => {
  for (const [seed, what] of found) {
    expect((await simulate(seed)).problems.slice(0, 10), `${what}: ${howToSee(seed)}`).toEqual([]);
  }
});

test("the command takes a seed, a range and a time, and tells the hash", async () => {
  const lines: string[] = [];
  expect(await runSimulations(["--seed", "2"], (line) => lines.push(line))).toBe(true);
  expect(lines.join("\n")).toContain((await simulate(2)).hash);
  expect(readArguments(["--seed", "7"])).toMatchObject({ from: 7, to: 7, isTraced: true });
  expect(readArguments(["--seeds", "3..9", "--minutes", "2"])).toMatchObject({ from: 3, to: 9, minutes: 2 });
});
