import { type Entry, type Floor, seatOf } from "@plenary/floor";
import type { AgentList } from "./registry.ts";

/** Tells the list of agents what they did in a conversation: that they did it, never what was said. */
export function noteBehaviours({ observe }: Pick<AgentList, "observe">) {
  return (floor: Floor, entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.kind !== "event" || entry.because !== "guard/whisper-answer") continue;
      const seat = seatOf(floor, entry.sender);
      if (seat !== undefined) observe(seat.identification.serviceUrl, "answers-whispers-aloud");
    }
  };
}
