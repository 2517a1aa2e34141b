import { addFaults, faultKinds, noFaults } from "./faults.ts";
import { simulate } from "./simulate.ts";

/** `--seed 7`, `--seeds 1..100`, `--minutes 5`. */
export type RunOptions = { from: number; to: number; minutes: number; isTraced: boolean };

export function readArguments(given: readonly string[]): RunOptions {
  const value = (name: string) => given[given.indexOf(name) + 1];
  const minutes = given.includes("--minutes") ? Number(value("--minutes")) : Number.POSITIVE_INFINITY;
  if (given.includes("--seed")) {
    const seed = Number(value("--seed"));
    return { from: seed, to: seed, minutes, isTraced: true };
  }
  const [from = 1, to = from] = (value("--seeds") ?? "1..100").split("..").map(Number);
  return { from, to, minutes, isTraced: false };
}

/** Runs the seeds and prints the results. Returns true when no invariant was violated. */
export async function runSimulations(given: readonly string[], print: (line: string) => void): Promise<boolean> {
  const { from, to, minutes, isTraced } = readArguments(given);
  const startedMs = performance.now();
  const untilMs = startedMs + minutes * 60_000;
  const total = noFaults();
  let [failed, virtualMs] = [0, 0];
  for (let seed = from; seed <= to && performance.now() < untilMs; seed += 1) {
    const { hash, problems, trace, entries, faults, ...run } = await simulate(seed, { isTraced });
    addFaults(total, faults);
    virtualMs += run.virtualMs;
    for (const line of trace) print(line);
    print(`seed ${seed}: ${entries} entries in ${Math.round(run.virtualMs / 1_000)} s, log ${hash}`);
    for (const problem of problems) print(`  ${problem}`);
    if (problems.length > 0) failed += 1;
  }
  print(faultKinds.map((kind) => `${kind}: ${total[kind]}`).join(", "));
  const realMs = performance.now() - startedMs;
  print(`${Math.round(virtualMs / realMs)} times as fast as the clock, ${(realMs / 1_000).toFixed(1)} s`);
  print(failed === 0 ? "nothing is wrong" : `${failed} seeds failed`);
  return failed === 0;
}
