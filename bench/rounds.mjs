// Several servers under the same load, one after the other in short slices, round after round.
import { cpuUsOf } from "./processes.mjs";
import { median } from "./ratio.mjs";

// Until so much has been done, or so long, compilers are still at work on a large program.
export const warmUpOperations = 10_000;
const warmUpMs = 8_000;

/**
 * `sides`: name -> { pid, run }, where `run()` puts it under load for one slice and resolves with
 * { count, tookMs, p50, p99 }. Returns name -> one measurement per round.
 */
export async function measureRounds(sides, { rounds, isWarm = false }) {
  const names = Object.keys(sides);
  if (!isWarm) for (const name of names) await warm(sides[name]);
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Who goes second finds a warm machine: take turns.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      measured[name].push(await measureSlice(sides[name]));
    }
  }
  return measured;
}

async function warm({ run }) {
  const startedAt = performance.now();
  for (let done = 0; done < warmUpOperations && performance.now() - startedAt < warmUpMs; ) {
    done += (await run()).count;
  }
}

async function measureSlice({ pid, run }) {
  const cpuBefore = cpuUsOf(pid);
  const { count, tookMs, p50, p99 } = await run();
  return { rate: (count / tookMs) * 1000, cpuUs: (cpuUsOf(pid) - cpuBefore) / count, p50, p99 };
}

/** The median over the rounds of what `key` is for one side by what it is for the other. */
export function ratioOf(of, to, key) {
  return median(of.map((slice, round) => slice[key] / to[round][key]));
}

/** Rates and CPU costs as shares of the other side's: 1 is as good, less is worse. */
export function sharesOf(of, to) {
  return { byRate: ratioOf(of, to, "rate"), byCpu: ratioOf(to, of, "cpuUs") };
}

export function tellSides(title, measured) {
  for (const [name, slices] of Object.entries(measured)) {
    const [rate, cpuUs, p50, p99] = ["rate", "cpuUs", "p50", "p99"].map((key) => median(slices.map((one) => one[key])));
    const times = `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
    console.log(`# ${title}, ${name}: ${Math.round(rate)}/s, server CPU ${cpuUs.toFixed(0)} us each, ${times}`);
  }
}

export function tellShares(title, { byRate, byCpu }) {
  console.log(`# ${title}: by rate ${byRate.toFixed(2)}, by CPU ${byCpu.toFixed(2)}`);
}
