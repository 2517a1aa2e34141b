import type { Entry, Floor } from "@plenary/floor";
import type { ConversationLog } from "../ports/conversation-log.ts";

/** The entries of one commit, with the floor before and after them. */
export type Commit = { before: Floor; entries: readonly Entry[]; floor: Floor };

type NotifyListener = (conversationId: string, commit: Commit | undefined) => void;

/** Notifies readers of new entries. */
export type Notifier = {
  /**
   * After a commit here. Without `commit`, readers read the log: after a commit on another node, or when the first attempt
   * of a delivery failed.
   */
  wake(conversationId: string, commit?: Commit): void;
  /** Without a conversation: all of them. Returns a function that stops it. */
  watch(conversationId: string | undefined, wake: NotifyListener): () => void;
};

export function createNotifier(): Notifier {
  const byConversation = new Map<string | undefined, Set<NotifyListener>>();
  return {
    wake(conversationId, commit) {
      for (const wake of byConversation.get(conversationId) ?? none) wake(conversationId, commit);
      for (const wake of byConversation.get(undefined) ?? none) wake(conversationId, commit);
    },
    watch(conversationId, wake) {
      const listeners = byConversation.get(conversationId) ?? new Set();
      byConversation.set(conversationId, listeners.add(wake));
      return () => {
        listeners.delete(wake);
        if (listeners.size === 0 && byConversation.get(conversationId) === listeners)
          byConversation.delete(conversationId);
      };
    },
  };
}

const none: readonly never[] = [];

const tailBatchMax = 256;

/** Yields the entries after `after`, then each new entry when it is written, until the signal fires. */
export async function* tail(
  { log, notifier }: { log: ConversationLog; notifier: Notifier },
  conversationId: string,
  { after, signal }: { after: number; signal: AbortSignal },
): AsyncGenerator<Entry> {
  let wakeUp: (() => void) | undefined;
  let isNew = true;
  const wake = () => {
    isNew = true;
    wakeUp?.();
  };
  const stop = notifier.watch(conversationId, wake);
  signal.addEventListener("abort", wake, { once: true });
  let cursor = after;
  try {
    while (!signal.aborted) {
      isNew = false;
      const entries = await log.entries(conversationId, { after: cursor, limit: tailBatchMax });
      for (const entry of entries) {
        if (signal.aborted) return;
        cursor = entry.seq;
        yield entry;
      }
      if (entries.length > 0 || isNew || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
      });
    }
  } finally {
    stop();
    signal.removeEventListener("abort", wake);
  }
}
