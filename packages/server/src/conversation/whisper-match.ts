import { hash } from "node:crypto";
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

/** Stands for who whispered what when the words are gone (D35). */
export function whisperMark(dialogEvent: DialogEvent): string {
  return hash("sha256", JSON.stringify([dialogEvent.speakerUri, textOf(dialogEvent)]), "base64url");
}

/** Those of a log that are like one of these. A whisper that was erased is known by its mark, and told in their words. */
export function thoseLike(
  entries: readonly Entry[],
  suspects: readonly DialogEvent[],
  markOf: (seq: number) => string | undefined,
): Entry[] {
  return entries.flatMap((entry) => {
    const spoken = spokenIn(entry);
    if (suspects.some((one) => isSaying(spoken, one))) return [entry];
    const mark = markOf(entry.seq);
    const same = mark === undefined ? undefined : suspects.find((one) => whisperMark(one) === mark);
    if (same !== undefined) return [retold(entry, same)];
    return suspects.some((one) => isLike(spoken, one)) ? [entry] : [];
  });
}

function retold(entry: Entry, { features }: DialogEvent): Entry {
  const spoken = spokenIn(entry);
  if (spoken === undefined || entry.kind !== "event" || entry.event.eventType !== "utterance") return entry;
  return { ...entry, event: { ...entry.event, parameters: { dialogEvent: { ...spoken, features } } } };
}
