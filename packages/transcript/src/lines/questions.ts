import { foldUri, type InputType, type Option, optionNamed, readInteraction, replyIn, textOf } from "@plenary/protocol";
import type { SeatKind } from "../transcript.ts";
import type { UtteranceLine } from "./line.ts";

type People = { kindOf(speakerUri: string): SeatKind | undefined };

/** Limit of open questions. */
const openMax = 50;

/** A question of an agent (D31). */
export type Question = {
  /** A question with the same id replaces the earlier one; a notification with the same id withdraws it. */
  id: string;
  /** Who asks. */
  sender: string;
  /** The addressee; absent when it is for everyone. */
  to?: string;
  isWhisper: boolean;
  inputType: InputType;
  text: string;
  options: readonly Option[];
  isRequired: boolean;
  placeholder?: string;
  /** A page for an earlier step, such as giving consent. Untrusted. */
  url?: string;
  /** The text that is shown after its time limit. */
  error?: string;
  /** Its deadline in ms since 1970; absent when it has none. */
  untilMs?: number;
};

export function questionIn({ dialogEvent, sender, to, isWhisper, at }: UtteranceLine): Question | undefined {
  const interaction = readInteraction(dialogEvent);
  if (interaction === undefined) return undefined;
  const { timeoutMs, text = textOf(dialogEvent), id = dialogEvent.id, ...rest } = interaction;
  const atMs = Date.parse(at);
  return {
    id,
    sender,
    isWhisper,
    text,
    ...rest,
    ...(to !== undefined && { to }),
    ...(timeoutMs !== undefined && !Number.isNaN(atMs) && { untilMs: atMs + timeoutMs }),
  };
}

/** The open questions of one person. */
export type Questions = {
  take(line: UtteranceLine): void;
  /** Drops the questions of an agent that has left. */
  drop(sender: string): void;
  newest(nowMs: number): Question | undefined;
  /** All open questions in order, also those after their deadline. */
  open(): readonly Question[];
  skip(question: Question): void;
};

export function createQuestions(me: string, people: People): Questions {
  let open: readonly Question[] = [];
  const isMine = ({ sender, to }: Question) =>
    foldUri(sender) !== foldUri(me) && (to === undefined || foldUri(to) === foldUri(me));
  const close = (question: Question) => {
    open = open.filter((one) => one !== question);
  };
  return {
    take(line) {
      const question = questionIn(line);
      const answered = open.findLast((one) => isAnswer(one, line, { me, people }));
      if (answered !== undefined) close(answered);
      if (question === undefined || !isMine(question)) return;
      open = open.filter((one) => !isAskedAgain(one, question));
      if (question.inputType !== "notification") open = [...open, question].slice(-openMax);
    },
    drop(sender) {
      open = open.filter((one) => foldUri(one.sender) !== foldUri(sender));
    },
    newest: (nowMs) => open.findLast(({ untilMs }) => untilMs === undefined || nowMs < untilMs),
    open: () => open,
    skip: close,
  };
}

/** Ids are unique per asker. */
export function isAskedAgain(one: Question, later: Question): boolean {
  return one.id === later.id && foldUri(one.sender) === foldUri(later.sender);
}

/** True for an answer by its feature, or by the reader's own text. A question to everyone may be answered by any person. */
function isAnswer(question: Question, line: UtteranceLine, { me, people }: { me: string; people: People }) {
  const isByMe = foldUri(line.sender) === foldUri(me);
  const isByPerson = isByMe || (question.to === undefined && people.kindOf(line.sender) === "person");
  if (!isByPerson) return false;
  // Ids are unique per asker: another agent's question may have the same.
  if (line.to !== undefined && foldUri(line.to) !== foldUri(question.sender)) return false;
  const named = replyIn(line.dialogEvent);
  if (named !== undefined) return named.id === question.id;
  if (line.to !== undefined) return isByMe;
  const said = textOf(line.dialogEvent).trim();
  return optionNamed(question.options, said) !== undefined || (question.inputType === "text" && !question.isWhisper);
}

export type Choice = { values: readonly string[] } | { lack: string };

/** The choice that a typed text means: numbers, labels, several with commas. Undefined when the text is no answer. */
export function choiceIn(
  { inputType, options }: Pick<Question, "inputType" | "options">,
  text: string,
): Choice | undefined {
  const said = text.trim();
  const whole = optionOf(options, said);
  if (whole !== undefined) return { values: [whole.value] };
  if (inputType !== "checkbox") {
    const isOutside = /^\d+$/u.test(said) && options.length > 0 && inputType !== "text";
    if (isOutside) return { lack: `Choose a number from 1 to ${options.length}.` };
    return inputType === "text" && said !== "" ? { values: [said] } : undefined;
  }
  const parts = said.split(/\s*[,;]\s*|\s+(?=\d+(?:\s|$))/u).filter((part) => part !== "");
  const chosen = parts.map((part) => optionOf(options, part));
  if (chosen.length > 0 && chosen.every((one) => one !== undefined)) {
    return { values: [...new Set(chosen.map(({ value }) => value))] };
  }
  const isMeant = parts.length > 0 && parts.every((part) => /^\d+$/u.test(part));
  return isMeant ? { lack: `Choose numbers from 1 to ${options.length}, such as 1,3.` } : undefined;
}

function optionOf(options: readonly Option[], said: string): Option | undefined {
  const byName = optionNamed(options, said);
  return byName ?? (/^\d{1,3}$/u.test(said) ? options[Number(said) - 1] : undefined);
}
