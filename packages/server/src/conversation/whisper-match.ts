import { hash } from "node:crypto";
import type { Entry } from "@plenary/floor";
import { type DialogEvent, textOf } from "@plenary/protocol";

export function spokenIn(entry: Entry): DialogEvent | undefined {
  return entry.kind === "event" && entry.event.eventType === "utterance"
    ? entry.event.parameters.dialogEvent
    : undefined;
}

/** The same utterance, by its id or by speaker and text (D16). */
export function isSameUtterance(spoken: DialogEvent | undefined, other: DialogEvent): boolean {
  if (spoken === undefined) return false;
  return spoken.id === other.id || hasSameText(spoken, other);
}

export function hasSameText(spoken: DialogEvent | undefined, other: DialogEvent): boolean {
  return spoken !== undefined && spoken.speakerUri === other.speakerUri && textOf(spoken) === textOf(other);
}

/** Identifies a whisper by speaker and text after its text was erased (D35). */
export function whisperMark(dialogEvent: DialogEvent): string {
  return hash("sha256", JSON.stringify([dialogEvent.speakerUri, textOf(dialogEvent)]), "base64url");
}

/** Whispers that match a candidate. An erased whisper is found by its mark, and gets the candidate's text. */
export function matchingWhispers(
  entries: readonly Entry[],
  candidates: readonly DialogEvent[],
  markOf: (seq: number) => string | undefined,
): Entry[] {
  return entries.flatMap((entry) => {
    const spoken = spokenIn(entry);
    if (candidates.some((one) => hasSameText(spoken, one))) return [entry];
    const mark = markOf(entry.seq);
    const same = mark === undefined ? undefined : candidates.find((one) => whisperMark(one) === mark);
    if (same !== undefined) return [withFeatures(entry, same)];
    return candidates.some((one) => isSameUtterance(spoken, one)) ? [entry] : [];
  });
}

function withFeatures(entry: Entry, { features }: DialogEvent): Entry {
  const spoken = spokenIn(entry);
  if (spoken === undefined || entry.kind !== "event" || entry.event.eventType !== "utterance") return entry;
  return { ...entry, event: { ...entry.event, parameters: { dialogEvent: { ...spoken, features } } } };
}
