/** The `Date` header has a resolution of one second. */
const resolutionMs = 1_000;

/**
 * The server's time, estimated on this computer. Deadlines are in server time, and the local clock may be wrong.
 * The server wrote the header between request and response, so every response bounds the offset between the clocks. The
 * offset changes only when it leaves these bounds: slow responses change nothing, and a corrected clock is followed.
 */
export function createFloorClock(ownMs: () => number = Date.now) {
  let aheadMs = 0;
  return {
    /** Takes the `Date` header of a response and the local time of its request. */
    observe(date: string | null, askedAtMs: number) {
      const floorMs = Date.parse(date ?? "");
      if (Number.isNaN(floorMs)) return;
      const least = floorMs - ownMs();
      const most = floorMs + resolutionMs - askedAtMs;
      aheadMs = Math.max(least, Math.min(aheadMs, most));
    },
    nowMs: () => ownMs() + aheadMs,
  };
}

/** The clock of the server that this page came from. */
export const floorClock = createFloorClock(() => Date.now());
