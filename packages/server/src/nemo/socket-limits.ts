import { Problem } from "../errors.ts";
import { createCounts } from "../keyed-counter.ts";
import type { Clock } from "../ports/clock.ts";

/** Limits the open sockets of each person. */
export type SocketLimits = {
  /** Throws the problem. */
  assertRoom(speakerUri: string): void;
  /** Returns the function that releases the place. */
  enter(speakerUri: string): () => void;
};

export function createSocketLimits(perSpeakerMax: number): SocketLimits {
  const counts = createCounts();
  return {
    assertRoom(speakerUri) {
      if (counts.of(speakerUri) < perSpeakerMax) return;
      throw new Problem("busy", {
        detail: `one person has at most ${perSpeakerMax} sockets`,
        fix: "close one of them",
      });
    },
    enter: counts.add,
  };
}

/** Limits the sockets whose clients have not identified themselves, in number and time. */
export type AnonymousLimit = {
  /** Returns the function that releases the place. Throws the problem when there are too many. */
  admit(address: string): () => void;
  /** Calls back when the time is up. Returns the function that cancels it. */
  startDeadline(onLate: () => void): () => void;
};

const identifyWithinMs = 10_000;
const perAddressMax = 16;
const allMax = 512;

export function createAnonymousLimit(clock: Clock): AnonymousLimit {
  const counts = createCounts();
  return {
    admit(address) {
      if (counts.of(address) >= perAddressMax || counts.all() >= allMax) {
        const fix = "send `Authorization: Bearer TOKEN` when you connect, or try again later";
        throw new Problem("busy", {
          detail: "too many sockets are open whose clients have not identified themselves",
          fix,
        });
      }
      return counts.add(address);
    },
    startDeadline: (onLate) => clock.at(clock.now() + identifyWithinMs, onLate),
  };
}
