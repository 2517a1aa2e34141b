import {
  type Conversation,
  type DialogEvent,
  type EventOf,
  foldUri,
  isPrivate,
  isSameUri,
  textOf,
} from "@plenary/protocol";
import type { HistoryEntry } from "@plenary/sdk";
import { type Audience, isUsableFor } from "../disclosure.ts";
import type { AnswerStream } from "./answer-parts.ts";
import type { HistoryMax } from "./settings.ts";

/** An utterance as a model sees it. */
export type HistoryLine = {
  id: string;
  speakerUri: string;
  text: string;
  /** The other side of a whisper. */
  whisperWith?: string;
  /** From the history of an invite, not heard: it is not certain that this speaker said it. */
  isReported?: boolean;
};

/** `audience`: who is entitled to it besides its speaker, as far as that is known. */
export type HeardLine = HistoryLine & { audience: readonly string[] };

type Heard = Pick<HistoryEntry, "sender" | "event" | "audience">;

export function lineOf({ sender, event, audience = [] }: Heard, me: string): HeardLine | undefined {
  if (event.eventType !== "utterance") return undefined;
  const { dialogEvent } = event.parameters;
  const text = textOf(dialogEvent);
  if (text.trim() === "") return undefined;
  const line = { id: dialogEvent.id, speakerUri: sender, text, audience };
  if (!isPrivate(event)) return line;
  return { ...line, whisperWith: isSameUri(sender, me) ? (event.to?.speakerUri ?? "") : sender };
}

/** Spec 1.12: the `dialogHistory` of an invite. Who else heard these utterances is not known. */
export function linesFromInvite({ parameters }: EventOf<"invite">, inviter: string): HeardLine[] {
  const history: readonly DialogEvent[] = parameters?.dialogHistory ?? [];
  return history
    .map((dialogEvent) => ({ ...dialogEvent, text: textOf(dialogEvent), isReported: true, audience: [inviter] }))
    .filter(({ text }) => text.trim() !== "")
    .map(({ id, speakerUri, text, isReported, audience }) => ({ id, speakerUri, text, isReported, audience }));
}

/** Who hears a public utterance. If the floor sends no list of conversants, all who have spoken. */
export function presentIn({ conversants }: Conversation, heard: readonly HistoryLine[]): string[] {
  return conversants?.map(({ identification }) => identification.speakerUri) ?? speakersIn(heard);
}

export function speakersIn(heard: readonly HistoryLine[]): string[] {
  return [...new Set(heard.map(({ speakerUri }) => speakerUri))];
}

export type HistoryOccasion = {
  /** The dialog event to answer. */
  id: string;
  listeners: Audience;
  /** The question came with the invite, whose history was sent for this answer. */
  isInvited: boolean;
};

/** The utterances before the question, oldest first, that all listeners of the answer were entitled to hear. */
export function visibleHistory(
  { inviteHistory, heard }: Pick<ConversationMemory, "inviteHistory"> & { heard: readonly HeardLine[] },
  { id, listeners, isInvited }: HistoryOccasion,
  max: HistoryMax,
): HistoryLine[] {
  // A heard line also says whether it was whispered, so it replaces a reported one. The inviter may have changed the id.
  const known = new Set(heard.flatMap((line) => [line.id, lineKey(line)]));
  const isNew = (line: HistoryLine) => line.id === id || !(known.has(line.id) || known.has(lineKey(line)));
  const lines = [...inviteHistory.filter(isNew), ...heard];
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

function isVisible({ speakerUri, audience, whisperWith }: HeardLine, listeners: Audience): boolean {
  if (whisperWith !== undefined && !isSameUri(whisperWith, listeners.asker)) return false;
  return isUsableFor({ sender: speakerUri, audience }, whisperWith !== undefined, listeners);
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

/** What an agent that answers from the history keeps of one conversation. */
export type ConversationMemory = {
  /** The conversation object of the newest invite. Events with the same object came in the same envelope. */
  arrival: Conversation | undefined;
  /** The utterances of the invite's `dialogHistory`. */
  inviteHistory: HeardLine[];
  /** Empty where the floor provides its log (`readHistory`). */
  heard: HeardLine[];
  answers: { count: number; lastAt: number };
};

export type LlmState = ConversationMemory & {
  /** The answer to the last utterance of the invite's history, started to see whether to decline the invite. */
  started: { id: string; answer: AnswerStream } | undefined;
};

export function newMemory(): ConversationMemory {
  return { arrival: undefined, inviteHistory: [], heard: [], answers: { count: 0, lastAt: 0 } };
}

const lineCharsMax = 32_768;

/** Keeps the newest lines. A line of the invite's history is there already, with its speaker. */
export function keepLine({ heard, inviteHistory }: ConversationMemory, line: HeardLine, utterancesMax: number): void {
  if (inviteHistory.some(({ id }) => id === line.id)) return;
  heard.push({ ...line, text: line.text.slice(0, lineCharsMax) });
  if (heard.length > utterancesMax) heard.splice(0, heard.length - utterancesMax);
}
