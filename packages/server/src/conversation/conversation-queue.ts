import { Problem } from "../errors.ts";
import { defaultQueueLimits, type QueueLimits } from "../limits.ts";

/** One input, processed in two steps. */
export type QueuedInput<T> = {
  /** Loads and decides. Returns the write; undefined when there is nothing to write. */
  plan: () => Promise<WriteResult | undefined>;
  /** Called when the last plan is durable, in the order of the conversation. */
  finish: () => T;
};

/** Starts the write at once; resolves when it is durable. */
type WriteResult = () => Promise<"appended" | "conflict">;

export type ConversationQueue = {
  /**
   * Runs when the writes of all earlier inputs of this conversation have started; they need not be durable yet, so
   * inputs that arrive together share one disk write. Throws the problem `busy` or `overloaded` when the queue is full,
   * except for awaited inputs: a rejected answer would be lost.
   */
  take<T>(conversationId: string, input: QueuedInput<T>, options?: { isAwaited?: boolean }): Promise<T>;
  /** Queued inputs of all conversations. */
  waiting(): number;
};

type Queue = {
  /** The write of the newest input has started, or the input has failed. */
  staged: Promise<unknown>;
  /** The newest input, and so every earlier one, has ended. */
  ended: Promise<unknown>;
  waiting: number;
  /** Number of conflicts: a plan made before a conflict is stale. */
  conflicts: number;
  /** Inputs that had a conflict and have not ended yet. */
  retrying: number;
};

/** Backoff after a conflict, longer with each attempt. */
export type Pause = (attempt: number) => Promise<void>;

const attemptsMax = 20;

/** One input at a time per conversation, in the order of arrival; conversations do not wait for each other. */
export function createConversationQueue(
  limits: QueueLimits = defaultQueueLimits,
  pause: Pause = async () => {},
): ConversationQueue {
  const queues = new Map<string, Queue>();
  let total = 0;
  return {
    waiting: () => total,
    take(conversationId, input, { isAwaited = false } = {}) {
      const queue = queues.get(conversationId) ?? newQueue();
      const full = isAwaited ? undefined : whyFull(limits, queue.waiting, total);
      if (full !== undefined) return Promise.reject(full);
      queues.set(conversationId, queue);
      queue.waiting += 1;
      total += 1;
      return enqueue(queue, input, pause, () => {
        queue.waiting -= 1;
        total -= 1;
        if (queue.waiting === 0) queues.delete(conversationId);
      });
    },
  };
}

function newQueue(): Queue {
  return { staged: Promise.resolve(), ended: Promise.resolve(), waiting: 0, conflicts: 0, retrying: 0 };
}

function whyFull({ perConversationMax, totalMax }: QueueLimits, waiting: number, total: number): Problem | undefined {
  if (waiting >= perConversationMax)
    return new Problem("busy", { detail: "too many inputs wait for this conversation" });
  if (total >= totalMax) return new Problem("overloaded", { detail: "too many inputs wait for this floor" });
  return undefined;
}

function enqueue<T>(queue: Queue, input: QueuedInput<T>, pause: Pause, leave: () => void): Promise<T> {
  const { staged, ended } = queue;
  let release: () => void = ignore;
  queue.staged = new Promise<void>((resolve) => {
    release = resolve;
  });
  const result = runInput(queue, input, { staged, ended, release, leave }, pause);
  queue.ended = result.then(ignore, ignore);
  return result;
}

type QueuePosition = { staged: Promise<unknown>; ended: Promise<unknown>; release: () => void; leave: () => void };

async function runInput<T>(queue: Queue, input: QueuedInput<T>, before: QueuePosition, pause: Pause): Promise<T> {
  try {
    await before.staged;
    // Inputs that had a conflict keep their place.
    if (queue.retrying > 0) await before.ended;
    const seen = queue.conflicts;
    const outcome = await stage(queue, input, before.release);
    if (outcome === "conflict") return await retryAfterConflict(queue, input, before, pause);
    // Waits for earlier inputs even with nothing to write: this input may repeat one that is not durable yet,
    await before.ended;
    // or that failed to be written.
    if (outcome === undefined && queue.conflicts !== seen) return await retryAfterConflict(queue, input, before, pause);
    return input.finish();
  } finally {
    before.release();
    before.leave();
  }
}

async function stage<T>(
  queue: Queue,
  input: QueuedInput<T>,
  release: () => void,
): Promise<"appended" | "conflict" | undefined> {
  const seen = queue.conflicts;
  const write = await input.plan();
  const written = queue.conflicts === seen ? write?.() : conflict;
  release();
  try {
    return await written;
  } catch (error) {
    queue.conflicts += 1;
    throw error;
  }
}

async function retryAfterConflict<T>(
  queue: Queue,
  input: QueuedInput<T>,
  { ended }: QueuePosition,
  pause: Pause,
): Promise<T> {
  queue.conflicts += 1;
  queue.retrying += 1;
  try {
    await ended;
    return await planAndWrite(input, pause);
  } finally {
    queue.retrying -= 1;
  }
}

const conflict = Promise.resolve("conflict" as const);

/** Another writer was faster: decides again from the start. */
async function planAndWrite<T>(input: QueuedInput<T>, pause: Pause): Promise<T> {
  for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
    const write = await input.plan();
    if ((await write?.()) !== "conflict") return input.finish();
    await pause(attempt);
  }
  throw new Problem("unavailable", { detail: "other processes keep writing to this conversation" });
}

function ignore(): void {}
