import { isPassing } from "../errors.ts";
import type { Clock, Ids } from "../ports/clock.ts";

/** What nobody would send again, such as an agent's answer, is entered until it is written down or the floor closes. */
export type UntilWritten = {
  /** Rejects with what will not pass by itself, and with the last failure when the floor closes. */
  enter<T>(write: () => Promise<T>): Promise<T>;
  /** Nothing is tried again: what is not written is in the outbox, or among the timers, for the next start. */
  close(): void;
};

const firstPauseMs = 100;
const pauseMaxMs = 5_000;

export function createUntilWritten({
  clock,
  ids,
  onError,
}: {
  clock: Clock;
  ids: Ids;
  onError: (error: unknown) => void;
}): UntilWritten {
  const pauses = new Set<() => void>();
  let isClosed = false;
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = clock.at(clock.now() + ms, end);
      function end(): void {
        pauses.delete(end);
        cancel();
        resolve();
      }
      pauses.add(end);
    });
  return {
    async enter(write) {
      for (let tries = 0; ; tries += 1) {
        try {
          return await write();
        } catch (error) {
          if (!isPassing(error) || isClosed) throw error;
          // Once is enough to be heard of: what follows is the same.
          if (tries === 0) onError(error);
          await pause(Math.min(pauseMaxMs, firstPauseMs * 2 ** tries) * (0.5 + ids.random() / 2));
          if (isClosed) throw error;
        }
      }
    },
    close() {
      isClosed = true;
      for (const end of [...pauses]) end();
    },
  };
}
