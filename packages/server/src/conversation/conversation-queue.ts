import { Problem } from "../errors.ts";
import { defaultQueueLimits, type QueueLimits } from "../limits.ts";

/** One input at a time per conversation, in the order of arrival; conversations do not wait for each other. */
export type ConversationQueue = {
  /**
   * Throws the problem `busy` or `overloaded` when the queue is full, except for awaited inputs: a rejected answer would
   * be lost.
   */
  enter(conversationId: string, options?: { isAwaited?: boolean | undefined }): QueuePlace;
  /** Queued inputs of all conversations. */
  waiting(): number;
};

/** The place of one input in the queue of its conversation. */
export type QueuePlace = {
  /** Resolves when the input may decide; undefined when it may decide now. */
  turn(): Promise<void> | undefined;
  /**
   * Starts the write and lets the next input decide, so inputs that arrive together share one disk write. Without a write
   * there is nothing to change. Resolves when this input and all earlier ones are durable; `conflict`: decide again.
   */
  write(start: StartWrite | undefined): Promise<"written" | "conflict">;
  /** Must be called exactly once, also after an error. */
  leave(): void;
};

/** Starts the write at once; resolves when it is durable. */
type StartWrite = () => Promise<"appended" | "conflict">;

/** Backoff after a conflict, longer with each attempt. */
export type Pause = (attempt: number) => Promise<void>;

const attemptsMax = 20;
/** Empty queues are kept, because a map with many insertions and deletions is slow; they are dropped above this number. */
const queuesMax = 4_096;

export function createConversationQueue(
  limits: QueueLimits = defaultQueueLimits,
  pause: Pause = async () => {},
): ConversationQueue {
  const queues = new Map<string, Queue>();
  let total = 0;
  const onLeave = () => {
    total -= 1;
  };
  return {
    waiting: () => total,
    enter(conversationId, { isAwaited = false } = {}) {
      const known = queues.get(conversationId);
      if (!isAwaited) assertNotFull(limits, known?.waiting ?? 0, total);
      const queue = known ?? { last: undefined, waiting: 0, conflicts: 0, retrying: 0 };
      if (known === undefined) {
        if (queues.size >= queuesMax) dropEmpty(queues);
        queues.set(conversationId, queue);
      }
      total += 1;
      return new Place(queue, pause, onLeave);
    },
  };
}

function assertNotFull({ perConversationMax, totalMax }: QueueLimits, waiting: number, total: number): void {
  if (waiting >= perConversationMax)
    throw new Problem("busy", { detail: "too many inputs wait for this conversation" });
  if (total >= totalMax) throw new Problem("overloaded", { detail: "too many inputs wait for this floor" });
}

function dropEmpty(queues: Map<string, Queue>): void {
  for (const [id, { waiting }] of queues) if (waiting === 0) queues.delete(id);
}

type Queue = {
  /** The newest input. */
  last: Place | undefined;
  waiting: number;
  /** Number of conflicts: a plan made before a conflict is stale. */
  conflicts: number;
  /** Inputs that had a conflict and have not left yet. New inputs wait behind them. */
  retrying: number;
};

class Place implements QueuePlace {
  readonly #queue: Queue;
  readonly #pause: Pause;
  readonly #onLeave: () => void;
  readonly #staged = new Event();
  /** It is durable, or it has left. */
  readonly #ended = new Event();
  #previous: Place | undefined;
  #seenConflicts = 0;
  #retries = 0;

  constructor(queue: Queue, pause: Pause, onLeave: () => void) {
    this.#queue = queue;
    this.#pause = pause;
    this.#onLeave = onLeave;
    this.#previous = queue.last;
    queue.last = this;
    queue.waiting += 1;
  }

  turn(): Promise<void> | undefined {
    const previous = this.#unfinishedPrevious();
    const isFirst = previous === undefined || (previous.#staged.isOver && this.#queue.retrying === 0);
    if (!isFirst && this.#retries === 0) return this.#waitForTurn();
    this.#seenConflicts = this.#queue.conflicts;
    return undefined;
  }

  async write(start: StartWrite | undefined): Promise<"written" | "conflict"> {
    if (this.#isStale()) {
      this.#staged.end();
      return this.#retry();
    }
    try {
      const writing = start?.();
      this.#staged.end();
      if (writing !== undefined && (await writing) === "conflict") return this.#retry();
    } catch (error) {
      this.#queue.conflicts += 1;
      throw error;
    }
    const previous = this.#unfinishedPrevious();
    // Also with nothing to write: this input may repeat one that is not durable yet,
    if (previous !== undefined) await previous.over();
    // or that failed to be written.
    if (start === undefined && this.#isStale()) return this.#retry();
    this.#ended.end();
    return "written";
  }

  leave(): void {
    const queue = this.#queue;
    this.#staged.end();
    this.#ended.end();
    this.#unfinishedPrevious();
    if (this.#retries > 0) queue.retrying -= 1;
    queue.waiting -= 1;
    if (queue.waiting === 0) queue.last = undefined;
    this.#onLeave();
  }

  /** This input and all earlier ones have ended. */
  isOver(): boolean {
    return this.#ended.isOver && this.#unfinishedPrevious() === undefined;
  }

  async over(): Promise<void> {
    await this.#ended.promise();
    await this.#unfinishedPrevious()?.over();
  }

  #unfinishedPrevious(): Place | undefined {
    if (this.#previous?.isOver() === true) this.#previous = undefined;
    return this.#previous;
  }

  /** A retry is alone in its queue, so nothing else can make its plan stale. */
  #isStale(): boolean {
    return this.#retries === 0 && this.#queue.conflicts !== this.#seenConflicts;
  }

  async #waitForTurn(): Promise<void> {
    const previous = this.#unfinishedPrevious();
    if (previous !== undefined) await previous.#staged.promise();
    // Inputs that had a conflict keep their place.
    if (this.#queue.retrying > 0) await this.#unfinishedPrevious()?.over();
    this.#seenConflicts = this.#queue.conflicts;
  }

  /** Another writer was faster, or an earlier write failed. */
  async #retry(): Promise<"conflict"> {
    this.#queue.conflicts += 1;
    this.#retries += 1;
    if (this.#retries === 1) {
      this.#queue.retrying += 1;
      await this.#unfinishedPrevious()?.over();
    } else {
      if (this.#retries > attemptsMax)
        throw new Problem("unavailable", { detail: "other processes keep writing to this conversation" });
      await this.#pause(this.#retries - 1);
    }
    return "conflict";
  }
}

/** Something that happens once. Its promise is created only when something waits for it: almost nothing does. */
class Event {
  isOver = false;
  #promise: Promise<void> | undefined;
  #resolve: (() => void) | undefined;

  end(): void {
    this.isOver = true;
    this.#resolve?.();
  }

  promise(): Promise<void> {
    this.#promise ??= new Promise((resolve) => {
      this.#resolve = resolve;
      if (this.isOver) resolve();
    });
    return this.#promise;
  }
}
