import type { ConversationQueue, QueuePlace } from "../conversation/conversation-queue.ts";

export type QueuedInput<T> = {
  /** Returns the write; undefined when there is nothing to write. */
  plan: () => Promise<Parameters<QueuePlace["write"]>[0]>;
  finish: () => T;
};

/** Uses a queue as `receive` does: an input waits for its turn, plans, writes, and plans again after a conflict. */
export async function takeTurn<T>(
  queue: ConversationQueue,
  conversationId: string,
  { plan, finish }: QueuedInput<T>,
  options?: { isAwaited?: boolean },
): Promise<T> {
  const place = queue.enter(conversationId, options);
  try {
    do await place.turn();
    while ((await place.write(await plan())) === "conflict");
    return finish();
  } finally {
    place.leave();
  }
}
