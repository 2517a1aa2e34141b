import { isPassing } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { AgentStore } from "../ports/store.ts";
import { type AgentRecord, toText } from "./record.ts";

type WriteBehindContext = { store: AgentStore; clock: Clock; onError: (error: unknown) => void };

const writeAfterMs = 5_000;
const writtenAtOnceMax = 100;

/** Writes changed records in batches, some seconds later. */
export function createAgentWriteBehind(
  { store, clock, onError }: WriteBehindContext,
  recordAt: (key: string) => AgentRecord | undefined,
) {
  const changed = new Set<string>();
  let isClosed = false;
  let cancel: (() => void) | undefined;
  const soon = () => {
    // Changes during closing are lost: the next process learns them again.
    if (isClosed) return;
    cancel ??= clock.at(clock.now() + writeAfterMs, () => {
      cancel = undefined;
      write().catch(onError);
    });
  };
  const write = async (): Promise<boolean> => {
    const keys = [...changed].slice(0, writtenAtOnceMax);
    for (const key of keys) changed.delete(key);
    const known = keys.flatMap((key) => {
      const record = recordAt(key);
      return record === undefined ? [] : [{ serviceUrl: key, known: toText(record) }];
    });
    const forgotten = keys.filter((key) => recordAt(key) === undefined);
    try {
      await store.keepAgents({ kept: known, forgotten });
    } catch (error) {
      for (const key of keys) changed.add(key);
      soon();
      // Other writes report a temporary failure such as a full disk.
      if (!isPassing(error)) throw error;
      return false;
    }
    if (changed.size > 0) soon();
    return true;
  };
  return {
    /** Marks a record as changed or deleted. */
    note(key: string) {
      changed.add(key);
      soon();
    },
    async close() {
      isClosed = true;
      cancel?.();
      try {
        while (changed.size > 0 && (await write()));
      } catch (error) {
        onError(error);
      }
    },
  };
}
