import { isPassing } from "../errors.ts";
import type { Clock, Ids } from "../ports/clock.ts";
import type { MaybePromise } from "../ports/maybe-promise.ts";

/** Retries a store write until it succeeds or the floor closes. For input that is not sent again, such as answers. */
export type RetryWrite = {
  /** Rejects with a permanent failure, or with the last failure when the floor closes. A value at hand is returned at once. */
  run<T>(write: () => MaybePromise<T>): MaybePromise<T>;
  /** Stops retrying: the outbox and the stored timers keep unwritten work for the next start. */
  close(): void;
};

const firstPauseMs = 100;
const pauseMaxMs = 5_000;

type RetryContext = { clock: Clock; ids: Ids; onError: (error: unknown) => void };

export function createRetryWrite({ clock, ids, onError }: RetryContext): RetryWrite {
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
  const retry = async <T>(write: () => MaybePromise<T>, first: unknown): Promise<T> => {
    let failure = first;
    for (let tries = 0; ; tries += 1) {
      if (!isPassing(failure) || isClosed) throw failure;
      // Reported once: the following failures are the same.
      if (tries === 0) onError(failure);
      await pause(Math.min(pauseMaxMs, firstPauseMs * 2 ** tries) * (0.5 + ids.random() / 2));
      if (isClosed) throw failure;
      try {
        return await write();
      } catch (error) {
        failure = error;
      }
    }
  };
  return {
    run<T>(write: () => MaybePromise<T>) {
      try {
        const written = write();
        return written instanceof Promise ? written.catch((error: unknown) => retry(write, error)) : written;
      } catch (error) {
        return retry(write, error);
      }
    },
    close() {
      isClosed = true;
      for (const end of [...pauses]) end();
    },
  };
}
