// Random choices that a failed run can repeat: every seed is fixed in the test or printed here.

/** A new seed for each run, or `PLENARY_SEED` to repeat one. Printed at once, so that a run that fails shows it too. */
export function newSeed(label: string): number {
  const seed = Number(process.env.PLENARY_SEED ?? Date.now() % 1_000_000);
  process.stdout.write(`[${label}] PLENARY_SEED=${seed}\n`);
  return seed;
}

/** Numbers from 0 to `below`, the same ones for the same seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
