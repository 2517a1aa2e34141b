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
import { isTellable, type Listeners } from "../entitled.ts";
import type { AnswerStream } from "./answer-parts.ts";
import type { HistoryMax } from "./settings.ts";

/** Something that was said, as far as the model may be told of it. */
export type HistoryLine = {
  id: string;
  speakerUri: string;
  text: string;
  /** With whom it was whispered. */
  whisperWith?: string;
  /** Passed on by an invite, not heard: nobody knows whether that speaker said it. */
  isReported?: boolean;
};

/** `audience`: who is known to be entitled to it besides its speaker. */
export type HeardLine = HistoryLine & { audience: readonly string[] };

type Heard = Pick<Remembered, "sender" | "event" | "audience">;

export function lineOf({ sender, event, audience = [] }: Heard, me: string): HeardLine | undefined {
  if (event.eventType !== "utterance") return undefined;
  const { dialogEvent } = event.parameters;
  const text = textOf(dialogEvent);
  if (text.trim() === "") return undefined;
  const line = { id: dialogEvent.id, speakerUri: sender, text, audience };
  if (!isPrivate(event)) return line;
  return { ...line, whisperWith: isSameUri(sender, me) ? (event.to?.speakerUri ?? "") : sender };
}

/** Spec 1.12: what was said before the invite, as whoever invites tells it. Who else heard it nobody knows. */
export function linesFromInvite({ parameters }: EventOf<"invite">, inviter: string): HeardLine[] {
  const history: readonly DialogEvent[] = parameters?.dialogHistory ?? [];
  return history
    .map((dialogEvent) => ({ ...dialogEvent, text: textOf(dialogEvent), isReported: true, audience: [inviter] }))
    .filter(({ text }) => text.trim() !== "")
    .map(({ id, speakerUri, text, isReported, audience }) => ({ id, speakerUri, text, isReported, audience }));
}

/** Who hears what is said to everyone. Where a floor sends no list, those who have spoken are known to be there. */
export function presentIn({ conversants }: Conversation, heard: readonly HistoryLine[]): string[] {
  return conversants?.map(({ identification }) => identification.speakerUri) ?? speakersIn(heard);
}

export function speakersIn(heard: readonly HistoryLine[]): string[] {
  return [...new Set(heard.map(({ speakerUri }) => speakerUri))];
}

export type HistoryOccasion = {
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
export function visibleHistory(
  { told, heard }: { told: readonly HeardLine[]; heard: readonly HeardLine[] },
  { id, listeners, isInvited }: HistoryOccasion,
  max: HistoryMax,
): HistoryLine[] {
  // What was heard says more than what was told: whether it was whispered. Whoever tells it may have given it another id.
  const known = new Set(heard.flatMap((line) => [line.id, lineKey(line)]));
  const isNew = (line: HistoryLine) => line.id === id || !(known.has(line.id) || known.has(lineKey(line)));
  const lines = [...told.filter(isNew), ...heard];
  const now = lines.findIndex((line) => line.id === id);
  const before = now === -1 ? lines : lines.slice(0, now);
  return lastOf(
    before.filter((line) => (line.isReported === true && isInvited) || isVisible(line, listeners)),
    max,
  );
}

function lineKey({ speakerUri, text }: HistoryLine): string {
  return `${foldUri(speakerUri)} ${text}`;
}

function isVisible({ speakerUri, audience, whisperWith }: HeardLine, listeners: Listeners): boolean {
  if (whisperWith !== undefined && !isSameUri(whisperWith, listeners.asker)) return false;
  return isTellable({ sender: speakerUri, audience }, whisperWith !== undefined, listeners);
}

function lastOf(lines: readonly HistoryLine[], { utterances, characters }: HistoryMax): HistoryLine[] {
  let left = characters;
  const kept: HistoryLine[] = [];
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

/** What is known of one conversation by whoever answers out of its history. */
export type ConversationMemory = {
  /** The conversation as the newest invite had it: what comes with the very same one came along. */
  arrival: Conversation | undefined;
  /** By the invite. */
  inviteHistory: HeardLine[];
  /** Kept only where nobody else keeps the log. */
  heard: HeardLine[];
  answers: { count: number; lastAt: number };
};

export type LlmState = ConversationMemory & {
  /** To the end of the history, begun to see whether to decline the invite. */
  begun: { id: string; answer: AnswerStream } | undefined;
};

export function newMemory(): ConversationMemory {
  return { arrival: undefined, inviteHistory: [], heard: [], answers: { count: 0, lastAt: 0 } };
}

const lineCharsMax = 32_768;

/** The newest stay. What an invite has told is known already, and by whom it was said. */
export function keepLine({ heard, inviteHistory }: ConversationMemory, line: HeardLine, utterancesMax: number): void {
  if (inviteHistory.some(({ id }) => id === line.id)) return;
  heard.push({ ...line, text: line.text.slice(0, lineCharsMax) });
  if (heard.length > utterancesMax) heard.splice(0, heard.length - utterancesMax);
}
