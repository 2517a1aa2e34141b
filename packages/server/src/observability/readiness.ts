import type { Clock } from "../ports/clock.ts";
import type { FloorStore } from "../ports/store.ts";

/** Writes of probes are this far apart: anybody may ask, and each write is a sync of the disk. */
const apartMs = 250;

/**
 * Whether the store can write now. Each answer is the outcome of a write that began after the question, never a remembered
 * one; questions that wait for the same write share it.
 */
export function createReadiness(store: Pick<FloorStore, "ready">, clock: Clock): () => Promise<boolean> {
  let beganMs = Number.NEGATIVE_INFINITY;
  let next: Promise<boolean> | undefined;
  const write = (): Promise<boolean> => {
    next = undefined;
    beganMs = clock.now();
    return store.ready().then(
      () => true,
      () => false,
    );
  };
  return () => {
    if (next !== undefined) return next;
    const leftMs = beganMs + apartMs - clock.now();
    // A clock that was set back makes nobody wait for longer.
    if (leftMs <= 0 || leftMs > apartMs) return write();
    next = new Promise((resolve) => {
      clock.at(clock.now() + leftMs, () => resolve(write()));
    });
    return next;
  };
}
