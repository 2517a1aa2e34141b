/** Time that passes as fast as the work in it is done. Counted in milliseconds since the run began; it never goes back. */
export type VirtualTime = {
  nowMs(): number;
  /** Returns the way to cancel it. */
  after(ms: number, run: () => void): () => void;
  /** Runs what is due within the next so many milliseconds, in order, each thing to its end before the next begins. */
  pass(ms: number): Promise<void>;
  /** Things that were run. */
  steps(): number;
};

type Due = { atMs: number; order: number; run: (() => void) | undefined };

export function createVirtualTime(): VirtualTime {
  const queue: Due[] = [];
  let nowMs = 0;
  let order = 0;
  let steps = 0;
  return {
    nowMs: () => nowMs,
    steps: () => steps,
    after(ms, run) {
      const due: Due = { atMs: nowMs + Math.max(0, ms), order: order++, run };
      push(queue, due);
      return () => {
        due.run = undefined;
      };
    },
    async pass(ms) {
      const untilMs = nowMs + ms;
      await settled();
      for (let due = queue[0]; due !== undefined && due.atMs <= untilMs; due = queue[0]) {
        pop(queue);
        if (due.run === undefined) continue;
        nowMs = due.atMs;
        steps += 1;
        due.run();
        await settled();
      }
      nowMs = untilMs;
    },
  };
}

/** Nothing here waits on anything but promises, and those have all run when the next immediate is due. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

// A binary heap: the earliest first, and of those the one that was asked for first.

function isBefore(a: Due, b: Due): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

function push(heap: Due[], due: Due): void {
  let place = heap.length;
  for (let above = (place - 1) >> 1; place > 0; above = (place - 1) >> 1) {
    const parent = heap[above];
    if (parent === undefined || !isBefore(due, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = due;
}

function pop(heap: Due[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let place = 0;
  for (;;) {
    let child = 2 * place + 1;
    const [left, right] = [heap[child], heap[child + 1]];
    if (left === undefined) break;
    if (right !== undefined && isBefore(right, left)) child += 1;
    const smaller = heap[child];
    if (smaller === undefined || !isBefore(smaller, last)) break;
    heap[place] = smaller;
    place = child;
  }
  heap[place] = last;
}
