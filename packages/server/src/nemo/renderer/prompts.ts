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
import type { ClientFeatures, MessageResult, NemoOutput } from "../output.ts";
import { webAddress } from "./attachments.ts";
import { type RendererParticipants, unmarked } from "./participants.ts";

/** `say` puts a line into the bubble. */
type Options = {
  me: string;
  clientFeatures: ClientFeatures;
  people: RendererParticipants;
  say: (line: string) => void;
};

type AnswerError = { kind: "fault"; isAsked: boolean; error: ErrorContent };

const noticesMax = 50;
const textCharsMax = 4_000;
const quoteCharsMax = 300;
const labelCharsMax = 500;

/** Questions to this person (D31), shown one at a time in the order in which they were asked. */
export class OpenPrompts {
  readonly #options: Options;
  readonly #questions: Questions;
  #notices: Question[] = [];
  #shown: Question | undefined;
  /** Within this turn. */
  #isShownHere = false;
  /** What the person said to it, until the floor has taken that. */
  #answer: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#questions = createQuestions(options.me, options.people);
  }

  /** Whether it is a question to this person, which is shown as that and not as words. */
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

  /** A conversant that left waits for no answer. */
  drop(sender: string): void {
    const { people } = this.#options;
    const gone = this.#questions.open().filter((one) => people.isSame(one.sender, sender));
    for (const question of gone) this.#close(question, "and left");
  }

  /** What is to be shown now: notices, and the first question when none is shown yet. */
  show(nowMs: number): NemoOutput[] {
    const output = this.#notices.splice(0).flatMap((notice) => this.#notify(notice, nowMs));
    // Nobody can answer what came too late to be shown, so nobody waits for that either.
    for (const one of this.#overdue(nowMs)) if (one !== this.#shown) this.#close(one, lateWords(one));
    this.#shown ??= this.#questions.open()[0];
    if (this.#shown === undefined || this.#isShownHere) return output;
    this.#isShownHere = true;
    this.#sayAddress(this.#shown);
    return [...output, ...this.#prompts(this.#shown, nowMs)];
  }

  /** What is shown, with the time that is left. `lack`: what was wrong with the answer before. */
  again(nowMs: number, lack?: string): NemoOutput[] {
    return this.#shown === undefined ? [] : this.#prompts(this.#shown, nowMs, lack);
  }

  /** In a new turn it is shown once more. */
  turnPage(): void {
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

  replied(): void {
    if (this.#shown !== undefined && this.#answer !== undefined) {
      this.#close(this.#shown, `You answered: ${this.#answer}`);
    }
  }

  /** The floor did not take the answer. True when there was one. */
  unreplied(): boolean {
    const hadAnswer = this.#answer !== undefined;
    this.#answer = undefined;
    return hadAnswer;
  }

  /** Ends those whose time is up; what is said for the one that was shown. */
  expire(nowMs: number): string[] {
    return this.#overdue(nowMs).flatMap((question) => {
      const isShown = question === this.#shown;
      const words = lateWords(question);
      this.#close(question, words);
      return isShown ? [words] : [];
    });
  }

  isAsking(): boolean {
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
    const { people } = this.#options;
    return !people.isMe(sender) && (to === undefined || people.isMe(to));
  }

  #forget(question: Question): void {
    this.#questions.skip(question);
    if (question !== this.#shown) return;
    this.#shown = undefined;
    this.#answer = undefined;
    this.#isShownHere = false;
  }

  /** The client shows a question only as long as it waits: afterwards the bubble says what was asked, and what came of it. */
  #close(question: Question, ending: string): void {
    const { people, say } = this.#options;
    this.#forget(question);
    const asked = unmarked(question.text, quoteCharsMax) || "(no words)";
    say(`*${people.nameFor(question.sender)} asked: ${asked} — ${unmarked(ending, quoteCharsMax)}*`);
  }

  /** What closed by itself: somebody answered it in words, or on another page; it is asked again; or there were too many. */
  #closeAnswered(before: readonly Question[], line: UtteranceLine, asked: Question | undefined): void {
    const { people } = this.#options;
    const { sender } = line;
    const open = this.#questions.open();
    const isByPerson = people.isMe(sender) || people.kindOf(sender) === "person";
    const who = people.isMe(sender) ? "You" : people.nameFor(sender);
    const ending = isByPerson ? `${who} answered: ${textOf(line.dialogEvent)}` : "left out: too many questions wait";
    for (const question of before.filter((one) => !open.includes(one))) {
      if (asked !== undefined && isAskedAgain(question, asked)) this.#forget(question);
      else this.#close(question, ending);
    }
  }

  #notify(notice: Question, nowMs: number): NemoOutput[] {
    const { people, say } = this.#options;
    this.#sayAddress(notice);
    say(`*${people.nameFor(notice.sender)} notes: ${unmarked(notice.text, textCharsMax)}*`);
    return this.#prompts(notice, nowMs);
  }

  #prompts(question: Question, nowMs: number, lack?: string): NemoOutput[] {
    const { people, clientFeatures } = this.#options;
    const { sender, untilMs } = question;
    const words = plain(question.text).slice(0, textCharsMax);
    const asked = people.needsName(sender) ? `${people.nameFor(sender)}: ${words}` : words;
    const text = lack === undefined ? asked : `${lack.charAt(0).toUpperCase()}${lack.slice(1)} ${asked}`;
    const { hasAllPrompts } = clientFeatures;
    const left = untilMs !== undefined && { leftMs: untilMs - nowMs };
    const content = promptContent({ ...shortened(question), text }, { hasAllPrompts, ...left });
    const address = webAddress(question.url);
    // Clients open it by themselves: nobody does that to everyone at once.
    if (address === undefined || !question.isWhisper) return [{ kind: "prompt", content }];
    const { timeout, error } = content;
    const consent: NemoOutput = {
      kind: "prompt",
      content: { input_type: "oauth_consent", text: address, timeout, error },
    };
    return [consent, { kind: "prompt", content }];
  }

  /** The tab that a client opens for it may be blocked. */
  #sayAddress(question: Question): void {
    const { people, say } = this.#options;
    const address = webAddress(question.url);
    if (address !== undefined) say(`*${people.nameFor(question.sender)} asks for your consent at* <${address}>`);
  }
}

/** What a client shows beside the text of a question. What is answered stays as it is. */
function shortened({ options, placeholder, ...question }: Question): Question {
  const labelled = options.map(({ description, ...option }) => ({
    ...{ ...option, label: oneLine(option.label, labelCharsMax) },
    ...(description !== undefined && { description: oneLine(description, labelCharsMax) }),
  }));
  return {
    ...{ ...question, options: labelled, error: lateWords(question) },
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

/** What the texts of a reply choose: a value, a label, a number, several of them, or a list as JSON. */
function answerIn(question: Question, given: readonly string[]): { values: readonly string[] } | { lack: string } {
  const texts = given.flatMap(listed).slice(0, textsMax);
  const said = texts.map((text) => text.trim()).filter((text) => text !== "");
  if (said.length === 0) {
    return question.isRequired ? { lack: `an answer is needed. ${advice(question)}` } : { values: [] };
  }
  if (question.inputType === "text") return { values: [said.join("\n")] };
  if (question.inputType !== "checkbox") return choose(question, said.at(-1) ?? "");
  const chosen = said.map((text) => choose(question, text));
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
