import type { ConversantView } from "@plenary/client";
import type { DialogEvent, FloorEvent, InputType, Option } from "@plenary/protocol";
import { foldUri, optionNamed, readInteraction, replyIn, textOf } from "@plenary/protocol";
import { type TranscriptEntry as Entry, type SeatKind, type ShownEvent, validDialogEvent } from "@plenary/transcript";

/** A question of an agent (D31) and its outcome. */
export type Prompt = {
  id: string;
  seq: number;
  at: string;
  /** SpeakerUri of the asker. */
  sender: string;
  /** SpeakerUri of the addressee; everyone when absent. */
  to?: string;
  isWhisper: boolean;
  inputType: InputType;
  text: string;
  options: readonly Option[];
  isRequired: boolean;
  placeholder?: string;
  /** Deadline in ms since 1970; none when absent. */
  untilMs?: number;
  /** Text for an expired prompt. */
  error?: string;
  /** A page to visit before answering, if it is a valid URL. */
  url?: string;
  reply?: { by: string; values: readonly string[] };
  /** The asker exceeded the limit of open questions, repeated it, or withdrew it. */
  isOver?: true;
};

/** All prompts, oldest first, with their replies. */
export function promptsOf(entries: readonly Entry[], conversants: readonly ConversantRef[] = []): readonly Prompt[] {
  return createPromptReader().read(entries, conversants);
}

/** Reads a growing log incrementally. The list stays the same object until a prompt changes. */
export function createPromptReader() {
  let reading = newReaderState();
  let known: readonly Entry[] = [];
  let prompts: readonly Prompt[] = [];
  return {
    /** `conversants` are those present now; some may have joined before the first entry. */
    read(entries: readonly Entry[], conversants: readonly ConversantRef[]): readonly Prompt[] {
      if (!isContinuation(known, entries)) {
        reading = newReaderState();
        known = [];
      }
      reading.kinds.readConversants(conversants);
      for (let at = known.length; at < entries.length; at += 1) readEntry(reading, entries[at] as Entry);
      known = entries;
      if (reading.isChanged) prompts = reading.prompts.slice();
      reading.isChanged = false;
      return prompts;
    },
  };
}

/** Whether the entries start with those already read. */
function isContinuation(known: readonly Entry[], entries: readonly Entry[]): boolean {
  return known[0] === entries[0] && known.at(-1) === entries[known.length - 1];
}

/** An unanswered question. `index` is its position among all prompts, `keys` are its lookup keys. */
type Question = {
  asker: string;
  index: number;
  keys: readonly string[];
  prompt: Prompt;
  turn: string | undefined;
};
type ReaderState = {
  prompts: Prompt[];
  isChanged: boolean;
  open: ReturnType<typeof createOpenQuestions>;
  kinds: ReturnType<typeof createConversantKinds>;
};
type UtteranceEntry = ShownEvent & { event: Extract<FloorEvent, { eventType: "utterance" }> };

/** Addressee of a question without `to`. */
const everyone = "";

function newReaderState(): ReaderState {
  return { prompts: [], isChanged: true, open: createOpenQuestions(), kinds: createConversantKinds() };
}

function readEntry(reading: ReaderState, entry: Entry): void {
  reading.kinds.readEntry(entry);
  if (!isUtterance(entry)) return;
  const dialogEvent = validDialogEvent(entry);
  const prompt = promptOf(entry, dialogEvent);
  applyAnswer(reading, entry, dialogEvent, prompt !== undefined);
  if (prompt !== undefined) addQuestion(reading, prompt, entry.turn);
}

function isUtterance(entry: Entry): entry is UtteranceEntry {
  return entry.kind === "event" && entry.event.eventType === "utterance";
}

function promptOf({ seq, at, sender, event, target }: UtteranceEntry, dialogEvent: DialogEvent): Prompt | undefined {
  const interaction = readInteraction(dialogEvent);
  if (interaction === undefined) return undefined;
  const { timeoutMs, text = textOf(dialogEvent), id = dialogEvent.id, ...rest } = interaction;
  const to = event.to?.speakerUri ?? (event.to && target);
  const atMs = Date.parse(at);
  return {
    id,
    seq,
    at,
    sender,
    ...(to !== undefined && { to }),
    isWhisper: event.to?.private === true,
    text,
    ...rest,
    ...(timeoutMs !== undefined && !Number.isNaN(atMs) && { untilMs: atMs + timeoutMs }),
  };
}

function addQuestion(reading: ReaderState, prompt: Prompt, turn: string | undefined): void {
  const index = reading.prompts.push(prompt) - 1;
  reading.isChanged = true;
  const asker = foldUri(prompt.sender);
  const earlier = reading.open.newest([idKey(addresseeOf(prompt), prompt.id)], (question) => question.asker === asker);
  if (earlier !== undefined) {
    reading.open.close(earlier);
    endQuestion(reading, earlier);
  }
  // Reading it is enough.
  if (prompt.inputType === "notification") return;
  const over = reading.open.add({ index, asker, prompt, turn, keys: keysOf(prompt, asker) });
  if (over !== undefined) endQuestion(reading, over);
}

function endQuestion({ prompts }: ReaderState, { index, prompt }: Question): void {
  prompts[index] = { ...prompt, isOver: true };
}

function addresseeOf({ to }: Prompt): string {
  return to === undefined ? everyone : foldUri(to);
}

const idKey = (addressee: string, id: string) => `id ${addressee} ${id}`;
const wordKey = (addressee: string, words: string) => `word ${addressee} ${words.toLowerCase()}`;
const textKey = (addressee: string) => `text ${addressee}`;
const pairKey = (addressee: string, asker: string) => `pair ${addressee} ${asker}`;

/** Lookup keys: addressee, id, option names, free text, and the pair of addressee and asker. */
function keysOf(prompt: Prompt, asker: string): string[] {
  const { id, inputType, isWhisper, options } = prompt;
  const addressee = addresseeOf(prompt);
  const names = options.flatMap((option) => [option.label, option.value, option.id]);
  const keys = [addressee, idKey(addressee, id), pairKey(addressee, asker)];
  for (const name of names) keys.push(wordKey(addressee, name));
  if (inputType === "text" && !isWhisper) keys.push(textKey(addressee));
  return [...new Set(keys)];
}

/** Stores the reply in the newest open question that this utterance answers, by its feature or by plain text. */
function applyAnswer(reading: ReaderState, entry: UtteranceEntry, dialogEvent: DialogEvent, isQuestion: boolean): void {
  const sender = foldUri(entry.sender);
  const named = replyIn(dialogEvent);
  const addressees = addresseesOf(reading, sender, named !== undefined);
  if (addressees.length === 0) return;
  const words = named === undefined ? textOf(dialogEvent).trim() : "";
  // A question does not answer a question.
  if (named === undefined && (words === "" || isQuestion)) return;
  const to = entry.event.to?.speakerUri ?? (entry.event.to && entry.target);
  const heardBy = to === undefined ? undefined : foldUri(to);
  const keys = addressees.flatMap((addressee) => {
    if (named !== undefined) return [idKey(addressee, named.id)];
    const other = heardBy === undefined ? textKey(addressee) : pairKey(addressee, heardBy);
    return [wordKey(addressee, words), other];
  });
  const open = reading.open.newest(keys, (question) => {
    if (question.asker === sender || (heardBy !== undefined && heardBy !== question.asker)) return false;
    return named !== undefined || isPlainReply(question, entry, words);
  });
  if (open === undefined) return;
  const values = named?.values ?? [optionNamed(open.prompt.options, words)?.value ?? words];
  reading.open.close(open);
  reading.prompts[open.index] = { ...open.prompt, reply: { by: entry.sender, values } };
  reading.isChanged = true;
}

/**
 * Addressees for which a sender may answer. Questions to everyone are for people: agents talk along, and their "yes" is
 * not an answer.
 */
function addresseesOf({ kinds, open }: ReaderState, sender: string, isNamed: boolean): string[] {
  const kind = kinds.of(sender);
  const isForPeople = kind === "person" || (kind === undefined && isNamed);
  return (isForPeople ? [sender, everyone] : [sender]).filter(open.has);
}

/** A wrongly closed card loses the answer, so a public utterance counts only when it is unambiguous. */
function isPlainReply(question: Question, entry: UtteranceEntry, words: string): boolean {
  const { prompt, turn } = question;
  if (isLate(prompt, entry)) return false;
  if (optionNamed(prompt.options, words) !== undefined) return true;
  if (entry.event.to !== undefined) return prompt.to !== undefined || isNewTurn(turn, entry);
  return prompt.inputType === "text" && !prompt.isWhisper && isNewTurn(turn, entry);
}

/** An utterance of a person starts a new turn (D4); utterances of agents on the same matter belong to the old one. */
function isNewTurn(turn: string | undefined, entry: UtteranceEntry): boolean {
  return turn === undefined || entry.turn !== turn;
}

function isLate({ untilMs }: Prompt, { at }: UtteranceEntry): boolean {
  return untilMs !== undefined && Date.parse(at) > untilMs;
}

/** Maximum open questions per asker; the oldest is dropped. */
const openMax = 50;

/** Index of unanswered questions by key, so that an utterance is compared with few of them. */
function createOpenQuestions() {
  const byKey = new Map<string, Question[]>();
  const byAsker = new Map<string, Question[]>();
  const close = (question: Question) => {
    for (const key of question.keys) remove(byKey, key, question);
    remove(byAsker, question.asker, question);
  };
  return {
    close,
    /** Returns the question that was dropped for it. */
    add(question: Question): Question | undefined {
      for (const key of question.keys) put(byKey, key, question);
      const [oldest, ...others] = put(byAsker, question.asker, question);
      if (oldest === undefined || others.length < openMax) return undefined;
      close(oldest);
      return oldest;
    },
    has: (key: string) => byKey.has(key),
    /** The newest question with one of the keys that fits. */
    newest(keys: readonly string[], fits: (question: Question) => boolean): Question | undefined {
      let newest: Question | undefined;
      for (const key of keys) {
        const found = byKey.get(key)?.findLast(fits);
        if (found !== undefined && found.index > (newest?.index ?? -1)) newest = found;
      }
      return newest;
    },
  };
}

function put(lists: Map<string, Question[]>, key: string, question: Question): Question[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  list.push(question);
  return list;
}

function remove(lists: Map<string, Question[]>, key: string, question: Question): void {
  const list = lists.get(key);
  const at = list?.indexOf(question) ?? -1;
  if (list === undefined || at < 0) return;
  list.splice(at, 1);
  if (list.length === 0) lists.delete(key);
}

type ConversantRef = Pick<ConversantView, "identification" | "kind">;

/** Kinds of conversants, from the log and the server's view. */
function createConversantKinds() {
  const kinds = new Map<string, SeatKind>();
  const seat = ({ identification, kind }: ConversantRef) => kinds.set(foldUri(identification.speakerUri), kind);
  return {
    readEntry(entry: Entry): void {
      if (entry.kind === "seated") seat(entry.seat);
      if (entry.kind === "opened" && entry.owner !== undefined) seat(entry.owner);
      if (entry.kind !== "renamed") return;
      const kind = kinds.get(foldUri(entry.from));
      if (kind !== undefined) kinds.set(foldUri(entry.to), kind);
    },
    readConversants(conversants: readonly ConversantRef[]): void {
      for (const conversant of conversants) seat(conversant);
    },
    of: (speakerUri: string) => kinds.get(foldUri(speakerUri)),
  };
}

/** The text repeats the question and its options for clients that cannot show prompts; here the card shows them. */
export function withoutQuestion(dialogEvent: DialogEvent, prompt: Pick<Prompt, "text" | "options">): DialogEvent {
  const question = prompt.text.trim();
  const choices = prompt.options.map(({ label }) => label).join(", ");
  const said = textOf(dialogEvent).trim();
  if (said !== question && said !== `${question} (${choices})`) return dialogEvent;
  const { text: _, ...features } = dialogEvent.features;
  return { ...dialogEvent, features };
}
