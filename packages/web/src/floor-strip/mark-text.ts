import { type TranscriptEntry as Entry, type Mark, type SpanKind, whyPaused } from "@plenary/transcript";
import { texts } from "../texts/texts.ts";

export type NameOf = (speakerUri: string) => string;

const wordsMax = 110;

/** First words of an utterance; empty when it has none, or none for this reader. */
export function firstWords(entry: Entry): string {
  if (entry.kind !== "event" || entry.event.eventType !== "utterance") return "";
  // An erased utterance lacks these fields.
  const tokens = entry.event.parameters?.dialogEvent?.features?.text?.tokens ?? [];
  let words = "";
  for (const { value } of tokens) {
    if (typeof value === "string") words += value;
    if (words.length > wordsMax * 2) break;
  }
  const plain = words.replace(/\s+/gu, " ").trim();
  return plain.length > wordsMax ? `${plain.slice(0, wordsMax).trimEnd()}…` : plain;
}

/** Time of an entry. A hidden whisper has only that. */
export function timestampOf(entry: Entry): string | undefined {
  return entry.kind === "hidden" ? entry.whisper?.at : entry.at;
}

/** Short description of a mark. */
export function markText({ kind, entry, withFloor, isWhisper, to }: Mark, nameOf: NameOf): string {
  if (kind === "missed") {
    return (entry.kind === "missed" && (entry.detail ?? failureText(entry.failure))) || texts.strip.missed;
  }
  if (kind === "refused")
    return entry.kind === "refused" ? texts.strip.refusedBecause(entry.problem) : texts.strip.refused;
  if (kind === "role") return entry.kind === "role" ? roleText(entry.role, entry.speakerUri) : texts.strip.role;
  if (isWhisper) return to === undefined ? texts.common.whisper : texts.strip.whisperTo(nameOf(to));
  const addressee = to === undefined ? "" : `${texts.strip.to(nameOf(to))}, `;
  if (withFloor === undefined) return to === undefined ? texts.strip.said : texts.strip.to(nameOf(to));
  return `${addressee}${withFloor ? texts.strip.withFloor : texts.transcript.withoutFloor}`;
}

function roleText(role: string, speakerUri: string | undefined): string {
  return speakerUri === undefined ? texts.strip.isNoLonger(role) : texts.strip.becomes(role);
}

export function spanText(kind: SpanKind, isNow: boolean): string {
  return (isNow ? texts.strip.present : texts.strip.past)[kind];
}

function failureText(failure: string): string | undefined {
  const failures: Readonly<Record<string, string>> = texts.strip.failures;
  return Object.hasOwn(failures, failure) ? failures[failure] : undefined;
}

/** Reason of the newest pause; empty when that entry is not loaded. */
export function pauseReason(entries: readonly Entry[]): string {
  const why = whyPaused(entries.findLast(({ kind }) => kind === "paused")?.because);
  return why === undefined ? "" : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}
