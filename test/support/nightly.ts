/** Assertions of elapsed time, throughput or memory belong to the nightly run (`npm run test:nightly`). */
export const isNightly = process.env.PLENARY_NIGHTLY === "1";

/** Prints figures of a run. */
export function report(text: string): void {
  process.stdout.write(`[reliability] ${text}\n`);
}
