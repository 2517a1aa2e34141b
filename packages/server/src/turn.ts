import { Problem } from "./errors.ts";

export type TurnLimits = {
  /** Inputs that may wait for one conversation. */
  perConversationMax: number;
  /** Inputs that may wait in all. */
  totalMax: number;
};

export const defaultTurnLimits: TurnLimits = { perConversationMax: 256, totalMax: 10_000 };

export type Turns = {
  /**
   * Runs when all that came earlier for this conversation has run. Throws the problem `busy` when too much waits, but
   * never for what the floor itself set going: an answer turned away would be lost.
   */
  take<T>(conversationId: string, run: () => Promise<T>, options?: { isAwaited?: boolean }): Promise<T>;
};

/** One input at a time per conversation, in the order of arrival; conversations do not wait for each other. */
export function createTurns(limits: TurnLimits = defaultTurnLimits): Turns {
  const queues = new Map<string, { last: Promise<unknown>; waiting: number }>();
  let total = 0;
  return {
    async take(conversationId, run, { isAwaited = false } = {}) {
      const queue = queues.get(conversationId) ?? { last: Promise.resolve(), waiting: 0 };
      const isFull = queue.waiting >= limits.perConversationMax || total >= limits.totalMax;
      if (isFull && !isAwaited) throw new Problem("busy");
      queues.set(conversationId, queue);
      queue.waiting += 1;
      total += 1;
      const mine = queue.last.then(run);
      queue.last = mine.then(ignore, ignore);
      try {
        return await mine;
      } finally {
        queue.waiting -= 1;
        total -= 1;
        if (queue.waiting === 0) queues.delete(conversationId);
      }
    },
  };
}

function ignore(): void {}
