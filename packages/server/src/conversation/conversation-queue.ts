import { Problem } from "../errors.ts";

export type TurnLimits = {
  /** Inputs that may wait for one conversation. */
  perConversationMax: number;
  /** Inputs that may wait in all. */
  totalMax: number;
};

export const defaultTurnLimits: TurnLimits = { perConversationMax: 256, totalMax: 10_000 };

/** One input's way into a conversation, in two steps. */
export type Walk<T> = {
  /** Looks and decides. Returns how to write it down; undefined when there is nothing to write. */
  plan: () => Promise<Written | undefined>;
  /** Called once what was planned last is durable, in the order of the conversation. */
  finish: () => T;
};

/** Writes what was planned at once, and says later whether it is durable. */
type Written = () => Promise<"appended" | "conflict">;

export type Turns = {
  /**
   * Runs when all that came earlier for this conversation has been written down, durable or not yet: what arrives
   * together shares one trip to the disk. Throws the problem `busy` when too much waits, but never for what the floor
   * itself set going: an answer turned away would be lost.
   */
  take<T>(conversationId: string, walk: Walk<T>, options?: { isAwaited?: boolean }): Promise<T>;
  /** Inputs that wait, in all. */
  waiting(): number;
};

type Queue = {
  /** The newest input has been written down, or has failed. */
  staged: Promise<unknown>;
  /** The newest input, and so every one before it, has come to its end. */
  ended: Promise<unknown>;
  waiting: number;
  /** Counts conflicts: what was planned before one stands on ground that is gone. */
  conflicts: number;
  /** Inputs that met a conflict and are not through yet. */
  mending: number;
};

/** Lets others go first, longer with each attempt that was lost. */
export type Pause = (attempt: number) => Promise<void>;

const attemptsMax = 20;

/** One input at a time per conversation, in the order of arrival; conversations do not wait for each other. */
export function createTurns(limits: TurnLimits = defaultTurnLimits, pause: Pause = async () => {}): Turns {
  const queues = new Map<string, Queue>();
  let total = 0;
  return {
    waiting: () => total,
    take(conversationId, walk, { isAwaited = false } = {}) {
      const queue = queues.get(conversationId) ?? newQueue();
      const full = isAwaited ? undefined : whyFull(limits, queue.waiting, total);
      if (full !== undefined) return Promise.reject(full);
      queues.set(conversationId, queue);
      queue.waiting += 1;
      total += 1;
      return enter(queue, walk, pause, () => {
        queue.waiting -= 1;
        total -= 1;
        if (queue.waiting === 0) queues.delete(conversationId);
      });
    },
  };
}

function newQueue(): Queue {
  return { staged: Promise.resolve(), ended: Promise.resolve(), waiting: 0, conflicts: 0, mending: 0 };
}

function whyFull({ perConversationMax, totalMax }: TurnLimits, waiting: number, total: number): Problem | undefined {
  if (waiting >= perConversationMax) return new Problem("busy", { detail: "too much waits for this conversation" });
  if (total >= totalMax) return new Problem("overloaded", { detail: "too much waits for this floor" });
  return undefined;
}

function enter<T>(queue: Queue, walk: Walk<T>, pause: Pause, leave: () => void): Promise<T> {
  const { staged, ended } = queue;
  let release: () => void = ignore;
  queue.staged = new Promise<void>((resolve) => {
    release = resolve;
  });
  const mine = go(queue, walk, { staged, ended, release, leave }, pause);
  queue.ended = mine.then(ignore, ignore);
  return mine;
}

type Before = { staged: Promise<unknown>; ended: Promise<unknown>; release: () => void; leave: () => void };

async function go<T>(queue: Queue, walk: Walk<T>, before: Before, pause: Pause): Promise<T> {
  try {
    await before.staged;
    // Whoever met a conflict goes first again.
    if (queue.mending > 0) await before.ended;
    const seen = queue.conflicts;
    const outcome = await stage(queue, walk, before.release);
    if (outcome === "conflict") return await mend(queue, walk, before, pause);
    // Earlier inputs first, also when this one had nothing to write: it may repeat one that is not durable yet,
    await before.ended;
    // or that never will be.
    if (outcome === undefined && queue.conflicts !== seen) return await mend(queue, walk, before, pause);
    return walk.finish();
  } finally {
    before.release();
    before.leave();
  }
}

async function stage<T>(
  queue: Queue,
  walk: Walk<T>,
  release: () => void,
): Promise<"appended" | "conflict" | undefined> {
  const seen = queue.conflicts;
  const write = await walk.plan();
  const written = queue.conflicts === seen ? write?.() : conflict;
  release();
  try {
    return await written;
  } catch (error) {
    queue.conflicts += 1;
    throw error;
  }
}

async function mend<T>(queue: Queue, walk: Walk<T>, { ended }: Before, pause: Pause): Promise<T> {
  queue.conflicts += 1;
  queue.mending += 1;
  try {
    await ended;
    return await insist(walk, pause);
  } finally {
    queue.mending -= 1;
  }
}

const conflict = Promise.resolve("conflict" as const);

/** Another writer was faster: decide again, from the start. */
async function insist<T>(walk: Walk<T>, pause: Pause): Promise<T> {
  for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
    const write = await walk.plan();
    if ((await write?.()) !== "conflict") return walk.finish();
    await pause(attempt);
  }
  throw new Problem("unavailable", { detail: "others write to this conversation all the time" });
}

function ignore(): void {}
