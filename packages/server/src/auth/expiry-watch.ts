import type { Clock } from "../ports/clock.ts";
import { isOperator, type Principal } from "../ports/principal.ts";
import type { Identity } from "./authenticate.ts";

/** Looks after what stays open: whoever's credential has ended is shown out. */
export type Vigil = {
  /** Calls `end` soon after the credential has ended, once. Returns the way to stop. */
  keep(principal: Principal, end: () => void): () => void;
  close(): void;
};

const everyMs = 30_000;

function nothing(): void {}

type Kept = { principal: Principal; end: () => void };

export function createVigil(identity: Identity, clock: Clock, onError: (error: unknown) => void): Vigil {
  const all = new Set<Kept>();
  let stop: (() => void) | undefined;
  async function lookAt(one: Kept): Promise<void> {
    try {
      if ((await identity.isLive(one.principal)) || !all.delete(one)) return;
      one.end();
    } catch (error) {
      // It is looked at again, and so are the others.
      onError(error);
    }
  }
  async function look(): Promise<void> {
    for (const one of [...all]) await lookAt(one);
  }
  const schedule = () => {
    stop = clock.at(clock.now() + everyMs, () => {
      look()
        .catch(onError)
        .finally(() => {
          stop = undefined;
          if (all.size > 0) schedule();
        });
    });
  };
  return {
    keep(principal, end) {
      // The operator's token is good as long as the process is.
      if (isOperator(principal)) return nothing;
      const kept = { principal, end };
      all.add(kept);
      if (stop === undefined) schedule();
      return () => {
        all.delete(kept);
      };
    },
    close() {
      all.clear();
      stop?.();
    },
  };
}
