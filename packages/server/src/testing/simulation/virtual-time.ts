/** Virtual time in milliseconds since the start of the run. It advances as soon as the current work has ended. */
export type VirtualTime = {
  nowMs(): number;
  /** Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Runs the tasks due in this period, in order, each to its end before the next starts. */
  advance(ms: number): Promise<void>;
  /** Number of tasks that were run. */
  steps(): number;
};

type ScheduledTask = { atMs: number; order: number; run: (() => void) | undefined };

export function createVirtualTime(): VirtualTime {
  const queue: ScheduledTask[] = [];
  let nowMs = 0;
  let order = 0;
  let steps = 0;
  return {
    nowMs: () => nowMs,
    steps: () => steps,
    after(ms, run) {
      const task: ScheduledTask = { atMs: nowMs + Math.max(0, ms), order: order++, run };
      push(queue, task);
      return () => {
        task.run = undefined;
      };
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settled();
      for (let task = queue[0]; task !== undefined && task.atMs <= untilMs; task = queue[0]) {
        pop(queue);
        if (task.run === undefined) continue;
        nowMs = task.atMs;
        steps += 1;
        task.run();
        await settled();
      }
      nowMs = untilMs;
    },
  };
}

/** The simulation waits for promises only, and all of them have run before the next immediate. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

// A binary heap, ordered by time and then by order of scheduling.

function isBefore(a: ScheduledTask, b: ScheduledTask): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

function push(heap: ScheduledTask[], task: ScheduledTask): void {
  let position = heap.length;
  for (let above = (position - 1) >> 1; position > 0; above = (position - 1) >> 1) {
    const parent = heap[above];
    if (parent === undefined || !isBefore(task, parent)) break;
    heap[position] = parent;
    position = above;
  }
  heap[position] = task;
}

function pop(heap: ScheduledTask[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let position = 0;
  for (;;) {
    let child = 2 * position + 1;
    const [left, right] = [heap[child], heap[child + 1]];
    if (left === undefined) break;
    if (right !== undefined && isBefore(right, left)) child += 1;
    const smaller = heap[child];
    if (smaller === undefined || !isBefore(smaller, last)) break;
    heap[position] = smaller;
    position = child;
  }
  heap[position] = last;
}
