import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Afterwards a WeakRef shows whether something still holds its target. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  // A WeakRef keeps its target until the end of the tick.
  await new Promise((resolve) => setImmediate(resolve));
  runInNewContext("gc")();
}
