import type { TranscriptEntry } from "@plenary/transcript";
import { namedIn } from "./notes.ts";
import type { RendererParticipants } from "./participants.ts";

/** Holds back entries about agents whose names are not known yet. */
export type UnnamedSpeakers = {
  add(entry: TranscriptEntry): void;
  /** Entries whose agents have names by now, or whose time is up. */
  take(nowMs: number): TranscriptEntry[];
  nextAtMs(): number | undefined;
};

const heldMax = 50;

export function createUnnamedSpeakers(people: RendererParticipants): UnnamedSpeakers {
  let held: TranscriptEntry[] = [];
  const dueMs = (note: TranscriptEntry) => {
    const times = namedIn(note).flatMap((uri) => people.nameDueMs(uri) ?? []);
    return times.length === 0 ? 0 : Math.max(...times);
  };
  return {
    add(entry) {
      held.push(entry);
    },
    take(nowMs) {
      const before = held;
      held = before.filter((note, index) => index >= before.length - heldMax && dueMs(note) > nowMs);
      return before.filter((note) => !held.includes(note));
    },
    nextAtMs: () => (held.length === 0 ? undefined : Math.min(...held.map(dueMs))),
  };
}
