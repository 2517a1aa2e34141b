import { lineChair } from "./queue-policy.ts";

type LineOptions = { turnMs?: number };

/** Who raises a hand speaks in turn. Long turns end only so that nobody waits for ever. */
export const queueChair = ({ turnMs = 300_000 }: LineOptions = {}) =>
  lineChair({
    name: "queue",
    conversationalName: "Queue",
    synopsis: "Convenes with a queue of raised hands: one speaks at a time, in the order of asking, the owner first.",
    isOverridden: false,
    turnMs,
  });

export const singleSpeakerChair = ({ turnMs = 60_000 }: LineOptions = {}) =>
  lineChair({
    name: "single-speaker",
    conversationalName: "Speaker's Clock",
    synopsis: "Convenes with a clock: one speaks at a time, for a minute when others wait; the owner comes first.",
    isOverridden: true,
    turnMs,
  });
