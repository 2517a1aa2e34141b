import {
  type Conversation,
  type DialogEvent,
  type EventOf,
  foldUri,
  isPrivate,
  isSameUri,
  textOf,
} from "@plenary/protocol";
import type { Remembered } from "@plenary/sdk";
import { isTellable, type Listeners } from "../disclosure.ts";
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

/** `audience`: who is known to be entitled to it besides its speaker. */
export type KnownLine = Line & { audience: readonly string[] };

type Heard = Pick<Remembered, "sender" | "event" | "audience">;

export function lineOf({ sender, event, audience = [] }: Heard, me: string): KnownLine | undefined {
  if (event.eventType !== "utterance") return undefined;
  const { dialogEvent } = event.parameters;
  const text = textOf(dialogEvent);
  if (text.trim() === "") return undefined;
  const line = { id: dialogEvent.id, speakerUri: sender, text, audience };
  if (!isPrivate(event)) return line;
  return { ...line, whisperWith: isSameUri(sender, me) ? (event.to?.speakerUri ?? "") : sender };
}

/** Spec 1.12: what was said before the invite, as whoever invites tells it. Who else heard it nobody knows. */
export function linesTold({ parameters }: EventOf<"invite">, inviter: string): KnownLine[] {
  const history: readonly DialogEvent[] = parameters?.dialogHistory ?? [];
  return history
    .map((dialogEvent) => ({ ...dialogEvent, text: textOf(dialogEvent), isTold: true, audience: [inviter] }))
    .filter(({ text }) => text.trim() !== "")
    .map(({ id, speakerUri, text, isTold, audience }) => ({ id, speakerUri, text, isTold, audience }));
}

/** Who hears what is said to everyone. Where a floor sends no list, those who have spoken are known to be there. */
export function presentIn({ conversants }: Conversation, heard: readonly Line[]): string[] {
  return conversants?.map(({ identification }) => identification.speakerUri) ?? voicesIn(heard);
}

export function voicesIn(heard: readonly Line[]): string[] {
  return [...new Set(heard.map(({ speakerUri }) => speakerUri))];
}

export type Occasion = {
  /** What is being answered. */
  id: string;
  listeners: Listeners;
  /** It came with the invite, whose history was handed over for this very answer. */
  isInvited: boolean;
};

/**
 * What was said before, oldest first, as far as all who hear the answer were entitled to it: what a model was not told it
 * cannot repeat.
 */
export function historyFor(
  { told, heard }: { told: readonly KnownLine[]; heard: readonly KnownLine[] },
  { id, listeners, isInvited }: Occasion,
  max: HistoryMax,
): Line[] {
  // What was heard says more than what was told: whether it was whispered. Whoever tells it may have given it another id.
  const known = new Set(heard.flatMap((line) => [line.id, wordsOf(line)]));
  const isNew = (line: Line) => line.id === id || !(known.has(line.id) || known.has(wordsOf(line)));
  const lines = [...told.filter(isNew), ...heard];
  const now = lines.findIndex((line) => line.id === id);
  const before = now === -1 ? lines : lines.slice(0, now);
  return lastOf(
    before.filter((line) => (line.isTold === true && isInvited) || mayUse(line, listeners)),
    max,
  );
}

function wordsOf({ speakerUri, text }: Line): string {
  return `${foldUri(speakerUri)} ${text}`;
}

function mayUse({ speakerUri, audience, whisperWith }: KnownLine, listeners: Listeners): boolean {
  if (whisperWith !== undefined && !isSameUri(whisperWith, listeners.asker)) return false;
  return isTellable({ sender: speakerUri, audience }, whisperWith !== undefined, listeners);
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
