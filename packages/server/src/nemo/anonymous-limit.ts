import { Problem } from "../errors.ts";
import { createCounts } from "../keyed-counter.ts";
import type { Clock } from "../ports/clock.ts";

/** Sockets that are open though nobody knows yet who is behind them: few, and not for long. */
export type Strangers = {
  /** Returns the way to say that it is one no more. Throws the problem when there are too many. */
  admit(address: string): () => void;
  /** Calls back when its time is up. Returns the way to stop that. */
  expect(onLate: () => void): () => void;
};

const patienceMs = 10_000;
const perAddressMax = 16;
const allMax = 512;

export function createStrangers(clock: Clock): Strangers {
  const counts = createCounts();
  return {
    admit(address) {
      if (counts.of(address) >= perAddressMax || counts.all() >= allMax) {
        const fix = "send `Authorization: Bearer TOKEN` when you connect, or wait until others have said who they are";
        throw new Problem("busy", { detail: "too many sockets are open of which nobody knows whose they are", fix });
      }
      return counts.add(address);
    },
    expect: (onLate) => clock.at(clock.now() + patienceMs, onLate),
  };
}
