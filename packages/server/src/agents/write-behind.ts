import { isPassing } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { AgentStore } from "../ports/store.ts";
import { type AgentRecord, toText } from "./record.ts";

type Desk = { store: AgentStore; clock: Clock; onError: (error: unknown) => void };

const writeAfterMs = 5_000;
const writtenAtOnceMax = 100;

/** Writes down what has changed, many at a time, some seconds later: nobody waits for it. */
export function createAgentDiary({ store, clock, onError }: Desk, recordAt: (key: string) => AgentRecord | undefined) {
  const changed = new Set<string>();
  let isClosed = false;
  let cancel: (() => void) | undefined;
  const soon = () => {
    // What is learned while the floor closes is learned again by the next one.
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
      // A disk that is full is told of by those who wait for it.
      if (!isPassing(error)) throw error;
      return false;
    }
    if (changed.size > 0) soon();
    return true;
  };
  return {
    /** Something is known of it now that was not, or nothing any more. */
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
