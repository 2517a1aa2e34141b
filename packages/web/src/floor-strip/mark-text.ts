import type { Mark, SpanKind } from "@plenary/transcript";
import { whyPaused } from "@plenary/transcript";
import type { Entry } from "../api/types.ts";

export type NameOf = (speakerUri: string) => string;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The time of day, with the date unless it is today. */
export function shortTime(at: string | undefined): string {
  if (at === undefined) return "";
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  return (date.toDateString() === new Date().toDateString() ? clock : calendar).format(date);
}

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

const failures: Readonly<Record<string, string>> = {
  unreachable: "could not be reached",
  timeout: "did not answer in time",
  "no-envelope": "gave an answer that is no envelope",
  refused: "refused what it was sent",
};

/** Short description of a mark. */
export function markText({ kind, entry, withFloor, isWhisper, to }: Mark, nameOf: NameOf): string {
  if (kind === "missed") {
    return (entry.kind === "missed" && (entry.detail ?? failures[entry.failure])) || "did not answer";
  }
  if (kind === "refused") return entry.kind === "refused" ? `refused: ${entry.problem}` : "refused";
  if (kind === "role") return entry.kind === "role" ? roleText(entry.role, entry.speakerUri) : "role";
  if (isWhisper) return to === undefined ? "whisper" : `whisper to ${nameOf(to)}`;
  const addressee = to === undefined ? "" : `to ${nameOf(to)}, `;
  if (withFloor === undefined) return to === undefined ? "said" : `to ${nameOf(to)}`;
  return `${addressee}${withFloor ? "with the floor" : "without the floor"}`;
}

function roleText(role: string, speakerUri: string | undefined): string {
  return speakerUri === undefined ? `is no longer ${role}` : `becomes ${role}`;
}

const spans: Readonly<Record<SpanKind, readonly [now: string, then: string]>> = {
  held: ["has the floor", "had the floor"],
  asked: ["waits for the floor", "waited for the floor"],
  invited: ["is invited, has not answered yet", "was invited, had not answered yet"],
  absent: ["is not here", "was not here"],
  unknown: ["not known", "not known"],
};

export function spanText(kind: SpanKind, isNow: boolean): string {
  return spans[kind][isNow ? 0 : 1];
}

/** Reason of the newest pause; empty when that entry is not loaded. */
export function pauseReason(entries: readonly Entry[]): string {
  const why = whyPaused(entries.findLast(({ kind }) => kind === "paused")?.because);
  return why === undefined ? "" : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}
