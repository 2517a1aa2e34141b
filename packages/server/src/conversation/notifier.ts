import type { Entry } from "@plenary/floor";
import type { FloorStore } from "../ports/store.ts";

type Wake = (conversationId: string) => void;

/** Tells readers that there is something new to read. It carries no content: the log is the truth. */
export type Watcher = {
  /** After a commit, here or on another node, or when a delivery gives up its first attempt. */
  wake(conversationId: string): void;
  /** Without a conversation: every one. Returns the way to stop. */
  watch(conversationId: string | undefined, wake: Wake): () => void;
};

export function createWatcher(): Watcher {
  const byConversation = new Map<string | undefined, Set<Wake>>();
  return {
    wake(conversationId) {
      for (const key of [conversationId, undefined]) {
        for (const wake of byConversation.get(key) ?? []) wake(conversationId);
      }
    },
    watch(conversationId, wake) {
      const wakes = byConversation.get(conversationId) ?? new Set();
      byConversation.set(conversationId, wakes.add(wake));
      return () => {
        wakes.delete(wake);
        if (wakes.size === 0 && byConversation.get(conversationId) === wakes) byConversation.delete(conversationId);
      };
    },
  };
}

const tailBatchMax = 256;

/** The log from the entry after `after`, then every new entry as it is written, until the signal fires. */
export async function* tail(
  { store, watcher }: { store: FloorStore; watcher: Watcher },
  conversationId: string,
  { after, signal }: { after: number; signal: AbortSignal },
): AsyncGenerator<Entry> {
  let ring: (() => void) | undefined;
  let isNew = true;
  const wake = () => {
    isNew = true;
    ring?.();
  };
  const stop = watcher.watch(conversationId, wake);
  signal.addEventListener("abort", wake, { once: true });
  let cursor = after;
  try {
    while (!signal.aborted) {
      isNew = false;
      const entries = await store.entries(conversationId, { after: cursor, limit: tailBatchMax });
      for (const entry of entries) {
        if (signal.aborted) return;
        cursor = entry.seq;
        yield entry;
      }
      if (entries.length > 0 || isNew || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        ring = resolve;
      });
    }
  } finally {
    stop();
    signal.removeEventListener("abort", wake);
  }
}
