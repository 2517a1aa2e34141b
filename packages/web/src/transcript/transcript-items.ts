import type { LiveDraft, Unsent } from "@plenary/client";
import type { Line, NoteLine, UtteranceLine } from "@plenary/transcript";
import type { ConversationState } from "../state/types.ts";

/** Rows of the transcript. */
export type TranscriptItem =
  | { kind: "day"; key: string; day: string }
  | { kind: "utterance"; key: string; line: UtteranceLine; isContinued: boolean }
  | { kind: "note"; key: string; line: NoteLine }
  | { kind: "draft"; key: string; draft: LiveDraft }
  | { kind: "unsent"; key: string; unsent: Unsent };

/** Utterances of one speaker within this time share one header. */
const continuedMs = 180_000;

type Shown = Pick<ConversationState, "me" | "lines" | "drafts" | "unsent"> &
  Partial<Pick<ConversationState, "hasOlder">>;

export function transcriptItems({ me, lines, drafts, unsent, hasOlder = false }: Shown): TranscriptItem[] {
  const items: TranscriptItem[] = [];
  let day = "";
  let before: Line | undefined;
  for (const line of lines) {
    const today = dayOf(line.at);
    // Above the first loaded line the day is unknown; a heading there would move when older lines load.
    const isKnown = today !== "" && !(hasOlder && items.length === 0);
    if (today !== day && isKnown) items.push({ kind: "day", key: `day ${today}`, day: today });
    const isNewDay = today !== day;
    day = today === "" ? day : today;
    if (line.kind === "note") items.push({ kind: "note", key: `n${line.seq}`, line });
    else {
      const isContinued = !isNewDay && before?.kind === "utterance" && isContinuedBy(before, line);
      items.push({ kind: "utterance", key: draftKey(line.sender, line.dialogEvent.id), line, isContinued });
    }
    before = line;
  }
  // A draft and its finished utterance share a key.
  const said = new Set(items.map(({ key }) => key));
  for (const draft of drafts) {
    const key = draftKey(draft.speakerUri, draft.dialogEventId);
    if (!said.has(key)) items.push({ kind: "draft", key, draft });
  }
  for (const one of unsent) {
    const key = draftKey(me, one.id);
    if (!said.has(key)) items.push({ kind: "unsent", key, unsent: one });
  }
  return withUniqueKeys(items);
}

function isContinuedBy(before: UtteranceLine, line: UtteranceLine): boolean {
  const isSame =
    before.sender === line.sender &&
    before.to === line.to &&
    before.isWhisper === line.isWhisper &&
    before.relayedFrom === line.relayedFrom;
  return isSame && Date.parse(line.at) - Date.parse(before.at) < continuedMs;
}

const days = new Map<string, string>();

/** Local calendar day, cached per hour of the log. */
function dayOf(at: string): string {
  const hour = at.slice(0, 13);
  const known = days.get(hour);
  if (known !== undefined) return known;
  const date = new Date(at);
  const day = Number.isNaN(date.getTime()) ? "" : date.toLocaleDateString("sv-SE");
  days.set(hour, day);
  return day;
}

/** Ids come from senders and may repeat. */
function withUniqueKeys(items: TranscriptItem[]): TranscriptItem[] {
  const keys = new Set<string>();
  return items.map((item, index) => {
    const isTaken = keys.has(item.key);
    keys.add(item.key);
    return isTaken ? { ...item, key: `${item.key} ${index}` } : item;
  });
}

/** Senders choose ids freely, and two may collide. */
function draftKey(speakerUri: string, dialogEventId: string): string {
  return `${speakerUri} ${dialogEventId}`;
}
