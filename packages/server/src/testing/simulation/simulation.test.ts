// T3: whole runs from a seed, with all kinds of faults. `npm run simulate` repeats a failing seed.
import { expect, test } from "vitest";
import { readArguments, runSimulations } from "./command.ts";
import { addFaults, faultKinds, noFaults } from "./faults.ts";
import { simulate } from "./simulate.ts";

const nightly = process.env.PLENARY_NIGHTLY === "1";
// The same seeds for each commit, other seeds each night.
const first = Number(process.env.PLENARY_SEED ?? (nightly ? 1_000 + Math.floor(Date.now() / 60_000) * 20_000 : 1));
const seedsMax = Number(process.env.SEEDS ?? (nightly ? 20_000 : 60));
/** Only nightly runs have a time limit and check the speed: other machines may be busy. */
const secondsMax = nightly ? 3_000 : Number.POSITIVE_INFINITY;
/** In case the test hangs. */
const timeoutMs = nightly ? 3_600_000 : 900_000;
/** Minimum for each kind of fault in 200 runs. */
const faultsMin = 20;

/** Seeds that found a bug, and the bug. */
const knownFailures: readonly [seed: number, what: string][] = [
  [9, "after a clock was set back, a delivery was retried and a breaker stayed open for an hour"],
  [86, "a stopped delivery with a promised answer stayed in the outbox and was sent again after each restart"],
  [126, "a viewer that connected during a write read the log in a loop without a pause"],
  [152, "a repeated envelope was acknowledged although the first was not written"],
];

const commandFor = (seed: number) => `npm run simulate -- --seed ${seed}`;

test("the invariants hold with all kinds of faults", { timeout: timeoutMs }, async () => {
  const startedMs = performance.now();
  const faults = noFaults();
  let [runs, virtualMs, entries, stops] = [0, 0, 0, 0];
  for (; runs < seedsMax && performance.now() - startedMs < secondsMax * 1_000; runs += 1) {
    const run = await simulate(first + runs);
    expect(run.problems.slice(0, 10), commandFor(run.seed)).toEqual([]);
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
  const rare = faultKinds.filter((kind) => faults[kind] < (faultsMin * runs) / 200);
  expect(rare, "faults that hardly ever strike any more").toEqual([]);
});

test("the same seed gives the same run", async () => {
  for (const seed of [first, first + 1, first + 7, first + 19]) {
    const { hash } = await simulate(seed);
    expect((await simulate(seed, { isTraced: true })).hash, commandFor(seed)).toBe(hash);
  }
});

test("the seeds that found a bug pass", async () => {
  for (const [seed, what] of knownFailures) {
    expect((await simulate(seed)).problems.slice(0, 10), `${what}: ${commandFor(seed)}`).toEqual([]);
  }
});

test("the command accepts a seed, a range and a time limit, and prints the hash", async () => {
  const lines: string[] = [];
  expect(await runSimulations(["--seed", "2"], (line) => lines.push(line))).toBe(true);
  expect(lines.join("\n")).toContain((await simulate(2)).hash);
  expect(readArguments(["--seed", "7"])).toMatchObject({ from: 7, to: 7, isTraced: true });
  expect(readArguments(["--seeds", "3..9", "--minutes", "2"])).toMatchObject({ from: 3, to: 9, minutes: 2 });
});
