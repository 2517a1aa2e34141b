import { type DialogEvent, type FloorEvent, foldUri, isPrivate, isSameUri, textOf } from "@plenary/protocol";
import type { Remembered } from "../recall.ts";
import type { HistoryMax } from "./settings.ts";

/** Something that was said, as far as the model may be told of it. */
export type Line = {
  id: string;
  speakerUri: string;
  text: string;
  /** With whom it was whispered. */
  whisperWith?: string;
  /** Passed on by an invite, not heard: nobody knows whether that speaker said it. */
  isTold?: boolean;
};

export function lineOf({ sender, event }: Pick<Remembered, "sender" | "event">, me: string): Line | undefined {
  if (event.eventType !== "utterance") return undefined;
  const { dialogEvent } = event.parameters;
  const text = textOf(dialogEvent);
  if (text.trim() === "") return undefined;
  const line = { id: dialogEvent.id, speakerUri: sender, text };
  if (!isPrivate(event)) return line;
  return { ...line, whisperWith: isSameUri(sender, me) ? (event.to?.speakerUri ?? "") : sender };
}

/** Spec 1.12: what was said before the invite, as whoever invites tells it. */
export function linesTold(event: FloorEvent): Line[] {
  const history: readonly DialogEvent[] = (event.eventType === "invite" && event.parameters?.dialogHistory) || [];
  return history
    .map((dialogEvent) => ({ ...dialogEvent, text: textOf(dialogEvent), isTold: true }))
    .filter(({ text }) => text.trim() !== "")
    .map(({ id, speakerUri, text, isTold }) => ({ id, speakerUri, text, isTold }));
}

export type Occasion = {
  /** What is being answered. */
  id: string;
  /** Who whispered it; undefined when the answer is for everyone. */
  whisperer?: string | undefined;
};

/**
 * What was said before, oldest first. A public answer is made of public words alone, and a whispered one also of what was
 * whispered with the same speaker: what a model was not told it cannot repeat.
 */
export function historyFor(
  { told, heard }: { told: readonly Line[]; heard: readonly Line[] },
  { id, whisperer }: Occasion,
  max: HistoryMax,
): Line[] {
  // What was heard says more than what was told: whether it was whispered. Whoever tells it may have given it another id.
  const known = new Set(heard.flatMap((line) => [line.id, wordsOf(line)]));
  const isNew = (line: Line) => line.id === id || !(known.has(line.id) || known.has(wordsOf(line)));
  const lines = [...told.filter(isNew), ...heard];
  const now = lines.findIndex((line) => line.id === id);
  const before = now === -1 ? lines : lines.slice(0, now);
  return lastOf(
    before.filter(({ whisperWith }) => mayUse(whisperWith, whisperer)),
    max,
  );
}

function wordsOf({ speakerUri, text }: Line): string {
  return `${foldUri(speakerUri)} ${text}`;
}

function mayUse(whisperWith: string | undefined, whisperer: string | undefined): boolean {
  if (whisperWith === undefined) return true;
  return whisperer !== undefined && isSameUri(whisperWith, whisperer);
}

function lastOf(lines: readonly Line[], { utterances, characters }: HistoryMax): Line[] {
  let left = characters;
  const kept: Line[] = [];
  for (const line of lines.slice(-utterances).reverse()) {
    if (left <= 0) break;
    kept.unshift({ ...line, text: shortened(line.text, left) });
    left -= line.text.length;
  }
  return kept;
}

export function shortened(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).replace(/\p{Surrogate}$/u, "")}…`;
}
