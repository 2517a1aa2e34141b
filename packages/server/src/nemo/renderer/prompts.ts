import { type ErrorContent, noLongerAvailable, promptContent } from "@plenary/nemo";
import { answerWords, textOf } from "@plenary/protocol";
import {
  choiceIn,
  createQuestions,
  isAskedAgain,
  oneLine,
  plain,
  type Question,
  type Questions,
  questionIn,
  type UtteranceLine,
} from "@plenary/transcript";
import type { ClientFeatures, MessageResult, NemoOutput } from "../participant.ts";
import { webAddress } from "./attachments.ts";
import { type RendererParticipants, withoutMarkdown } from "./participants.ts";

/** `addLine` adds a line to the bubble. */
type Options = {
  me: string;
  clientFeatures: ClientFeatures;
  participants: RendererParticipants;
  addLine: (line: string) => void;
};

type AnswerError = { kind: "fault"; isAsked: boolean; error: ErrorContent };

const noticesMax = 50;
const textCharsMax = 4_000;
const quoteCharsMax = 300;
const labelCharsMax = 500;

/** Questions to this person (D31). The client shows one at a time, in the order of asking. */
export class OpenPrompts {
  readonly #options: Options;
  readonly #questions: Questions;
  #notices: Question[] = [];
  #shown: Question | undefined;
  /** Shown in this turn. */
  #isShownHere = false;
  /** The answer of the person, until the floor accepts it. */
  #answer: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#questions = createQuestions(options.me, options.participants);
  }

  /** Returns whether it is a question to this person; then it is shown as a prompt, not as text. */
  take(line: UtteranceLine, isNews: boolean): boolean {
    const before = this.#questions.open();
    this.#questions.take(line);
    const taken = this.#questions.open().at(-1);
    const question = taken !== undefined && !before.includes(taken) ? taken : questionIn(line);
    this.#closeAnswered(before, line, question);
    if (question === undefined || !this.#isMine(question)) return false;
    if (question.inputType === "notification" && isNews)
      this.#notices = [...this.#notices, question].slice(-noticesMax);
    return true;
  }

  /** Closes the questions of a conversant that left. */
  drop(sender: string): void {
    const { participants } = this.#options;
    const gone = this.#questions.open().filter((one) => participants.isSame(one.sender, sender));
    for (const question of gone) this.#close(question, "and left");
  }

  /** The prompts to show now: notices, and the first question when none is shown yet. */
  show(nowMs: number): NemoOutput[] {
    const output = this.#notices.splice(0).flatMap((notice) => this.#notify(notice, nowMs));
    // A question that expires before it is shown cannot be answered.
    for (const one of this.#overdue(nowMs)) if (one !== this.#shown) this.#close(one, lateWords(one));
    this.#shown ??= this.#questions.open()[0];
    if (this.#shown === undefined || this.#isShownHere) return output;
    this.#isShownHere = true;
    this.#sayAddress(this.#shown);
    return [...output, ...this.#prompts(this.#shown, nowMs)];
  }

  /** Shows the current question again, with the time that is left. `lack`: what was wrong with the last answer. */
  repeat(nowMs: number, lack?: string): NemoOutput[] {
    return this.#shown === undefined ? [] : this.#prompts(this.#shown, nowMs, lack);
  }

  /** A new turn shows the current question again. */
  startTurn(): void {
    this.#isShownHere = false;
  }

  isAnswer(texts: readonly string[], nowMs: number): boolean {
    const shown = this.#shown;
    if (shown === undefined || this.#answer !== undefined) return false;
    const isOver = shown.untilMs !== undefined && shown.untilMs <= nowMs;
    return !isOver && !("lack" in answerIn(shown, texts));
  }

  reply(texts: readonly string[], nowMs: number): MessageResult | AnswerError {
    const shown = this.#shown;
    const isOver = shown?.untilMs !== undefined && shown.untilMs <= nowMs;
    if (shown === undefined || isOver || this.#answer !== undefined) {
      return { kind: "fault", isAsked: false, error: noQuestion };
    }
    const chosen = answerIn(shown, texts);
    if ("lack" in chosen) {
      const error = { code: "invalid_user_message_content", message: "NoAnswer", details: chosen.lack } as const;
      return { kind: "fault", isAsked: true, error };
    }
    const { id, sender: to, isWhisper: isPrivate, options } = shown;
    const words = answerWords(options, chosen.values);
    this.#answer = words;
    return { kind: "reply", id, to, isPrivate, values: chosen.values, words };
  }

  replyAccepted(): void {
    if (this.#shown !== undefined && this.#answer !== undefined) {
      this.#close(this.#shown, `You answered: ${this.#answer}`);
    }
  }

  /** The floor refused the answer. Returns whether there was one. */
  replyRejected(): boolean {
    const hadAnswer = this.#answer !== undefined;
    this.#answer = undefined;
    return hadAnswer;
  }

  /** Closes expired questions. Returns the error text of the one that was shown. */
  expire(nowMs: number): string[] {
    return this.#overdue(nowMs).flatMap((question) => {
      const isShown = question === this.#shown;
      const words = lateWords(question);
      this.#close(question, words);
      return isShown ? [words] : [];
    });
  }

  hasOpen(): boolean {
    return this.#questions.open().length > 0;
  }

  nextAtMs(): number | undefined {
    const open = this.#questions.open();
    if (open.length === 0) return undefined;
    const times = open.flatMap(({ untilMs }) => untilMs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #overdue(nowMs: number): Question[] {
    return this.#questions.open().filter(({ untilMs }) => untilMs !== undefined && untilMs <= nowMs);
  }

  #isMine({ sender, to }: Question): boolean {
    const { participants } = this.#options;
    return !participants.isMe(sender) && (to === undefined || participants.isMe(to));
  }

  #forget(question: Question): void {
    this.#questions.skip(question);
    if (question !== this.#shown) return;
    this.#shown = undefined;
    this.#answer = undefined;
    this.#isShownHere = false;
  }

  /** The client shows a question only while it is open; afterwards the bubble has the question and its outcome. */
  #close(question: Question, ending: string): void {
    const { participants, addLine } = this.#options;
    this.#forget(question);
    const text = withoutMarkdown(question.text, quoteCharsMax) || "(no words)";
    addLine(`*${participants.nameFor(question.sender)} asked: ${text} — ${withoutMarkdown(ending, quoteCharsMax)}*`);
  }

  /** Closes questions that were answered by an utterance or on another page, asked again, or over the limit. */
  #closeAnswered(before: readonly Question[], line: UtteranceLine, repeated: Question | undefined): void {
    const { participants } = this.#options;
    const { sender } = line;
    const open = this.#questions.open();
    const isByPerson = participants.isMe(sender) || participants.kindOf(sender) === "person";
    const who = participants.isMe(sender) ? "You" : participants.nameFor(sender);
    const ending = isByPerson ? `${who} answered: ${textOf(line.dialogEvent)}` : "left out: too many questions wait";
    for (const question of before.filter((one) => !open.includes(one))) {
      if (repeated !== undefined && isAskedAgain(question, repeated)) this.#forget(question);
      else this.#close(question, ending);
    }
  }

  #notify(notice: Question, nowMs: number): NemoOutput[] {
    const { participants, addLine } = this.#options;
    this.#sayAddress(notice);
    addLine(`*${participants.nameFor(notice.sender)} notes: ${withoutMarkdown(notice.text, textCharsMax)}*`);
    return this.#prompts(notice, nowMs);
  }

  #prompts(question: Question, nowMs: number, lack?: string): NemoOutput[] {
    const { participants, clientFeatures } = this.#options;
    const { sender, untilMs } = question;
    const words = plain(question.text).slice(0, textCharsMax);
    const asked = participants.needsName(sender) ? `${participants.nameFor(sender)}: ${words}` : words;
    const text = lack === undefined ? asked : `${lack.charAt(0).toUpperCase()}${lack.slice(1)} ${asked}`;
    const { hasAllPrompts } = clientFeatures;
    const left = untilMs !== undefined && { leftMs: untilMs - nowMs };
    const content = promptContent({ ...shortened(question), text }, { hasAllPrompts, ...left });
    const address = webAddress(question.url);
    // Clients open the address without asking, so only a whisper may have this effect.
    if (address === undefined || !question.isWhisper) return [{ kind: "prompt", content }];
    const { timeout, error } = content;
    const consent: NemoOutput = {
      kind: "prompt",
      content: { input_type: "oauth_consent", text: address, timeout, error },
    };
    return [consent, { kind: "prompt", content }];
  }

  /** Adds the address as text too: the browser may block the tab that a client opens. */
  #sayAddress(question: Question): void {
    const { participants, addLine } = this.#options;
    const address = webAddress(question.url);
    if (address !== undefined)
      addLine(`*${participants.nameFor(question.sender)} asks for your consent at* <${address}>`);
  }
}

/** Shortens the texts that a client shows. The values of the options stay unchanged. */
function shortened({ options, placeholder, ...question }: Question): Question {
  const labelled = options.map(({ description, ...option }) => ({
    ...option,
    label: oneLine(option.label, labelCharsMax),
    ...(description !== undefined && { description: oneLine(description, labelCharsMax) }),
  }));
  return {
    ...question,
    options: labelled,
    error: lateWords(question),
    ...(placeholder !== undefined && { placeholder: oneLine(placeholder, labelCharsMax) }),
  };
}

function lateWords({ error = noLongerAvailable }: Pick<Question, "error">): string {
  return plain(error).slice(0, textCharsMax);
}

const noQuestion: ErrorContent = {
  code: "invalid_message",
  message: "NoQuestion",
  details:
    "no question waits for an answer: it was answered already, its time is up, or none was asked. Say it as a message instead.",
};

const textsMax = 100;

/** The values that a reply chooses: by value, label or number, one or several, or as a JSON list. */
function answerIn(question: Question, given: readonly string[]): { values: readonly string[] } | { lack: string } {
  const texts = given.flatMap(listed).slice(0, textsMax);
  const answers = texts.map((text) => text.trim()).filter((text) => text !== "");
  if (answers.length === 0) {
    return question.isRequired ? { lack: `an answer is needed. ${advice(question)}` } : { values: [] };
  }
  if (question.inputType === "text") return { values: [answers.join("\n")] };
  if (question.inputType !== "checkbox") return choose(question, answers.at(-1) ?? "");
  const chosen = answers.map((text) => choose(question, text));
  const lack = chosen.find((one) => "lack" in one);
  if (lack !== undefined) return lack;
  return { values: [...new Set(chosen.flatMap((one) => ("values" in one ? one.values : [])))] };
}

function choose(question: Question, text: string): { values: readonly string[] } | { lack: string } {
  return choiceIn(question, text) ?? { lack: `that is none of the choices. ${advice(question)}` };
}

function advice({ inputType, options }: Question): string {
  if (options.length === 0 || inputType === "text") return "Answer in words.";
  const labels = options.slice(0, choicesMax).map(({ label }) => label.slice(0, choiceCharsMax));
  const more = options.length > choicesMax ? " and others" : "";
  const several = inputType === "checkbox" ? " Several are named with commas or by their numbers." : "";
  return `Choose from: ${labels.join(", ")}${more}.${several}`;
}

const choicesMax = 10;
const choiceCharsMax = 60;

function listed(text: string): string[] {
  if (!/^\s*\[/u.test(text)) return [text];
  try {
    const value: unknown = JSON.parse(text);
    const isList = Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number");
    return isList ? value.map(String) : [text];
  } catch {
    return [text];
  }
}
