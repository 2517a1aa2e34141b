import { Problem } from "../errors.ts";
import { createCounts } from "../keyed-counter.ts";

/** How many sockets each person has open: nobody takes the place of all others. */
export type Crowd = {
  /** Throws the problem. */
  assertRoom(speakerUri: string): void;
  /** Returns the way out. */
  enter(speakerUri: string): () => void;
};

export function createCrowd(perSpeakerMax: number): Crowd {
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
