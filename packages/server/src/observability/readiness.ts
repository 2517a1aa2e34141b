import type { Clock } from "../ports/clock.ts";
import type { FloorStore } from "../ports/store.ts";

/** Minimum time between two probe writes: `/readyz` needs no credential, and each write is a disk sync. */
const apartMs = 250;

/**
 * Whether the store can write now. The result of each call is a write that began after the call, never a cached one;
 * calls that wait for the same write share it.
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
    // More than `apartMs` is left only when the clock was set back.
    if (leftMs <= 0 || leftMs > apartMs) return write();
    next = new Promise((resolve) => {
      clock.at(clock.now() + leftMs, () => resolve(write()));
    });
    return next;
  };
}
