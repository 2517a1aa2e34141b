import {
  type Conversation,
  type DialogEvent,
  type EventOf,
  foldUri,
  isPrivate,
  isSameUri,
  textOf,
} from "@plenary/protocol";
import type { HandlerInput, HistoryEntry, ReadHistory } from "@plenary/sdk";
import { type Audience, audienceOf, isUsableFor } from "../disclosure.ts";
import type { AnswerStream } from "./answer-parts.ts";
import { type AnswerMemory, type AnswerRequest, resetCountForPerson } from "./answer-policy.ts";
import type { HistoryMax } from "./settings.ts";

export type HistoryOptions = {
  speakerUri: string;
  /** The floor's log. If there is one, the agent keeps nothing itself, so that erased utterances stay erased. */
  readHistory: ReadHistory | undefined;
  historyMax: HistoryMax;
  onError: (error: unknown) => void;
};

export function recordHeard(heard: HandlerInput<ConversationMemory>, listener: HistoryOptions): void {
  const { event, sender, state, conversation } = heard;
  resetCountForPerson(heard);
  const audience = isPrivate(event) ? [] : presentIn(conversation, state.heard);
  const line = lineOf({ sender: sender.speakerUri, event, audience }, listener.speakerUri);
  if (listener.readHistory === undefined && line !== undefined) keepLine(state, line, listener.historyMax.utterances);
}

type RecordingContext = Pick<HandlerInput<ConversationMemory>, "state" | "conversation">;

/** Records the agent's own answer, to everyone or to the whisperer. */
export function recordOwn(
  said: string,
  whisperer: string | undefined,
  scene: RecordingContext,
  listener: HistoryOptions,
): void {
  if (listener.readHistory !== undefined || said === "") return;
  const { state, conversation } = scene;
  const audience = whisperer === undefined ? presentIn(conversation, state.heard) : [whisperer];
  const id = crypto.randomUUID();
  const line = { id, speakerUri: listener.speakerUri, text: said, audience, ...whisperedWith(whisperer) };
  keepLine(state, line, listener.historyMax.utterances);
}

export function whisperedWith(whisperer: string | undefined): Pick<HistoryLine, "whisperWith"> {
  return whisperer === undefined ? {} : { whisperWith: whisperer };
}

/** The utterances before the question, oldest first, that all listeners of the answer were entitled to hear. */
export async function historyBefore(
  { id }: HistoryLine,
  { whisperer, asker, call }: AnswerRequest,
  scene: RecordingContext,
  listener: HistoryOptions,
): Promise<HistoryLine[]> {
  const { state, conversation } = scene;
  const heard = await heardLines(scene, listener);
  const asked = { asker: whisperer ?? asker, isPrivate: whisperer !== undefined, conversation };
  const listeners = audienceOf(asked, listener.speakerUri, speakersIn(heard));
  // A heard line also says whether it was whispered, so it replaces a reported one. The inviter may have changed the id.
  const known = new Set(heard.flatMap((line) => [line.id, lineKey(line)]));
  const isNew = (line: HistoryLine) => line.id === id || !(known.has(line.id) || known.has(lineKey(line)));
  const lines = [...state.inviteHistory.filter(isNew), ...heard];
  const now = lines.findIndex((line) => line.id === id);
  const before = now === -1 ? lines : lines.slice(0, now);
  // The history of an invite was sent for the answer to the question that came with it.
  const isUsable = (line: HeardLine) => (line.isReported === true && call === "invited") || isVisible(line, listeners);
  return lastOf(before.filter(isUsable), listener.historyMax);
}

/** If the log cannot be read, the question is answered without a history. */
async function heardLines(
  { conversation, state }: RecordingContext,
  listener: HistoryOptions,
): Promise<readonly HeardLine[]> {
  if (listener.readHistory === undefined) return state.heard;
  try {
    const remembered = await listener.readHistory(conversation.id, listener.speakerUri);
    return remembered.flatMap((one) => lineOf(one, listener.speakerUri) ?? []);
  } catch (error) {
    listener.onError(error);
    return [];
  }
}

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
type HeardLine = HistoryLine & { audience: readonly string[] };

type Heard = Pick<HistoryEntry, "sender" | "event" | "audience">;

function lineOf({ sender, event, audience = [] }: Heard, me: string): HeardLine | undefined {
  if (event.eventType !== "utterance") return undefined;
  const { dialogEvent } = event.parameters;
  const text = textOf(dialogEvent);
  if (text.trim() === "") return undefined;
  const line = { id: dialogEvent.id, speakerUri: sender, text, audience };
  if (!isPrivate(event)) return line;
  return { ...line, whisperWith: isSameUri(sender, me) ? (event.to?.speakerUri ?? "") : sender };
}

/** Spec 1.12: keeps the `dialogHistory` of an invite. Who else heard these utterances is not known. */
export function recordInvite({
  event,
  state,
  sender,
  conversation,
}: HandlerInput<ConversationMemory, EventOf<"invite">>): void {
  const history: readonly DialogEvent[] = event.parameters?.dialogHistory ?? [];
  const audience = [sender.speakerUri];
  state.arrival = conversation;
  state.inviteHistory = history
    .map((one) => ({ id: one.id, speakerUri: one.speakerUri, text: textOf(one), isReported: true, audience }))
    .filter(({ text }) => text.trim() !== "");
}

/** Who hears a public utterance. If the floor sends no list of conversants, all who have spoken. */
function presentIn({ conversants }: Conversation, heard: readonly HistoryLine[]): string[] {
  return conversants?.map(({ identification }) => identification.speakerUri) ?? speakersIn(heard);
}

function speakersIn(heard: readonly HistoryLine[]): string[] {
  return [...new Set(heard.map(({ speakerUri }) => speakerUri))];
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
export type ConversationMemory = AnswerMemory & {
  /** The utterances of the invite's `dialogHistory`. */
  inviteHistory: HeardLine[];
  /** Empty where the floor provides its log (`readHistory`). */
  heard: HeardLine[];
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
function keepLine({ heard, inviteHistory }: ConversationMemory, line: HeardLine, utterancesMax: number): void {
  if (inviteHistory.some(({ id }) => id === line.id)) return;
  heard.push({ ...line, text: line.text.slice(0, lineCharsMax) });
  if (heard.length > utterancesMax) heard.splice(0, heard.length - utterancesMax);
}
