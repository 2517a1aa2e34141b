import type { Clock } from "../ports/clock.ts";
import { isOperator, type Principal } from "../ports/principal.ts";
import type { Identity } from "./authenticate.ts";

export type ExpiryWatch = ReturnType<typeof createExpiryWatch>;

const everyMs = 30_000;

type OpenStream = { principal: Principal; end: () => void };

/** Closes streams and sockets when their credential expires or is revoked. */
export function createExpiryWatch(identity: Identity, clock: Clock, onError: (error: unknown) => void) {
  const all = new Set<OpenStream>();
  let stop: (() => void) | undefined;
  async function check(one: OpenStream): Promise<void> {
    try {
      if ((await identity.isLive(one.principal)) || !all.delete(one)) return;
      one.end();
    } catch (error) {
      // Checked again next time, like the others.
      onError(error);
    }
  }
  async function checkAll(): Promise<void> {
    for (const one of [...all]) await check(one);
  }
  const schedule = () => {
    stop = clock.at(clock.now() + everyMs, () => {
      checkAll()
        .catch(onError)
        .finally(() => {
          stop = undefined;
          if (all.size > 0) schedule();
        });
    });
  };
  return {
    /** Calls `end` once, soon after the credential has ended. Returns a function that stops the watch. */
    watch(principal: Principal, end: () => void): () => void {
      // The operator's token is valid as long as the process runs.
      if (isOperator(principal)) return () => {};
      const kept = { principal, end };
      all.add(kept);
      if (stop === undefined) schedule();
      return () => {
        all.delete(kept);
      };
    },
    close(): void {
      all.clear();
      stop?.();
    },
  };
}
