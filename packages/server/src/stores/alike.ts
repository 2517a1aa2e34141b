import type { Entry } from "@plenary/floor";
import { type DialogEvent, textOf } from "@plenary/protocol";

export function spokenIn(entry: Entry): DialogEvent | undefined {
  return entry.kind === "event" && entry.event.eventType === "utterance"
    ? entry.event.parameters.dialogEvent
    : undefined;
}

/** The same utterance, by its id or by who said what (D16). */
export function isLike(spoken: DialogEvent | undefined, other: DialogEvent): boolean {
  if (spoken === undefined) return false;
  return spoken.id === other.id || isSaying(spoken, other);
}

export function isSaying(spoken: DialogEvent | undefined, other: DialogEvent): boolean {
  return spoken !== undefined && spoken.speakerUri === other.speakerUri && textOf(spoken) === textOf(other);
}
