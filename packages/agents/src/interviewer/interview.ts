// The state machine of one person's interview, pure.
import type { Question } from "@plenary/sdk";

export type Interview = {
  readonly script: Script;
  /** One for each question so far; undefined if the person skipped it. */
  readonly answers: readonly (string | undefined)[];
  /** Invalid answers in a row. */
  readonly misses: number;
};

export type InterviewStep =
  | { kind: "ask"; interview: Interview; item: Item; remark?: string; error?: string }
  | { kind: "over"; text: string };

const missesMax = 3;
const answerCharsMax = 300;

export function startInterview(script: Script): Interview {
  return { script, answers: [], misses: 0 };
}

export function itemOf({ script, answers }: Interview): Item | undefined {
  return script.items[answers.length];
}

/** `words`: the text or the choices of the answer. */
export function continueInterview(interview: Interview, words: readonly string[]): InterviewStep {
  const item = itemOf(interview);
  const said = words.map((word) => word.replaceAll(/\s+/gu, " ").trim()).filter((word) => word !== "");
  if (item === undefined) return { kind: "over", text: summary(interview) };
  const command = isOption(item, said) ? undefined : commandIn(said);
  if (command === "stop") return { kind: "over", text: `Stopped. ${summary(interview)}` };
  if (command === "skip" || (said.length === 0 && !item.isRequired)) return next(interview, undefined);
  const read = readAnswer(item, said);
  if (read.ok) return next(interview, read.answer);
  const misses = interview.misses + 1;
  if (misses >= missesMax) return next(interview, undefined, "I skip that one.");
  return { kind: "ask", interview: { ...interview, misses }, item, error: read.error };
}

function next(interview: Interview, answer: string | undefined, remark?: string): InterviewStep {
  const after: Interview = { ...interview, answers: [...interview.answers, answer], misses: 0 };
  const item = itemOf(after);
  if (item === undefined) return { kind: "over", text: [remark, summary(after)].filter(Boolean).join(" ") };
  return { kind: "ask", interview: after, item, ...(remark !== undefined && { remark }) };
}

/** Text to everyone counts as an answer only if it is a command or a valid choice: any text would fit a text question. */
export function isClearAnswer(item: Item, words: string): boolean {
  const said = words.trim();
  if (commandIn([said]) !== undefined) return true;
  return item.inputType !== "text" && readAnswer(item, [said]).ok;
}

function commandIn([word = "", ...others]: readonly string[]): "skip" | "stop" | undefined {
  if (others.length > 0) return undefined;
  if (/^(?:skip|skip (?:it|this|that)|next|pass)[.!]?$/iu.test(word)) return "skip";
  return /^(?:stop|stop (?:it|the interview)|quit|cancel|enough)[.!]?$/iu.test(word) ? "stop" : undefined;
}

type ReadAnswer = { ok: true; answer: string } | { ok: false; error: string };

function readAnswer(item: Item, said: readonly string[]): ReadAnswer {
  const { inputType, options } = item;
  if (said.length === 0) return { ok: false, error: "Please answer this one, or say “skip”." };
  if (inputType === "text") {
    const answer = said.join(", ");
    if (answer.length <= answerCharsMax) return { ok: true, answer };
    return { ok: false, error: `That is too long: at most ${answerCharsMax} characters, please.` };
  }
  const parts =
    inputType === "checkbox" && !isOption(item, said)
      ? said.flatMap((one) => one.split(/\s*(?:,|;|\band\b|&)\s*/iu))
      : said;
  const chosen = parts.filter((part) => part !== "").map((part) => optionNamed(item, part));
  const known = [...new Set(chosen.filter((option) => option !== undefined))];
  const isOne = known.length === 1 || inputType === "checkbox";
  if (chosen.length > 0 && !chosen.includes(undefined) && isOne) return { ok: true, answer: known.join(", ") };
  const list = options.join(", ");
  return {
    ok: false,
    error: inputType === "checkbox" ? `Any of these, please: ${list}.` : `One of these, please: ${list}.`,
  };
}

function isOption(item: Item, said: readonly string[]): boolean {
  return said.some((one) => optionNamed(item, one) !== undefined);
}

/** By its name or its number. */
function optionNamed({ inputType, options }: Item, said: string): string | undefined {
  const plain = said.toLowerCase().replace(/[.!]$/u, "");
  const named = options.find((option) => option.toLowerCase() === plain || option.toLowerCase() === said.toLowerCase());
  if (named !== undefined) return named;
  if (inputType === "binary_choice" && /^(?:y|yeah|yep|sure|ok|okay|of course)$/u.test(plain)) return options[0];
  if (inputType === "binary_choice" && /^(?:n|nope|nah|not really)$/u.test(plain)) return options[1];
  return /^\d{1,2}$/u.test(plain) ? options[Number(plain) - 1] : undefined;
}

function summary({ script, answers }: Interview): string {
  const { topic, items } = script;
  if (answers.every((answer) => answer === undefined))
    return "You answered no question, so there is nothing to sum up.";
  const lines = items.slice(0, answers.length).map(({ text }, at) => `- ${text} ${bold(answers[at])}`);
  return `Thank you. Your answers${topic === undefined ? "" : ` about ${topic}`}:\n${lines.join("\n")}`;
}

function bold(answer: string | undefined): string {
  return answer === undefined ? "(skipped)" : `**${answer.replaceAll(/[*_`<>[\]\\]/gu, "\\$&")}**`;
}

// The questions of an interview: a small one with every kind of question, or questions that the person brings along.
export type Item = {
  text: string;
  inputType: NonNullable<Question["inputType"]>;
  /** The choices; empty for a text question. */
  options: readonly string[];
  placeholder?: string;
  isRequired: boolean;
};

export type Script = { topic?: string; items: readonly Item[] };

export const rules =
  "One question at a time: answer on its card, or write @Interviewer and your answer. “skip” skips a question, “stop” ends the interview.";

export const example = "`interview me about lunch: which day? (Mon, Tue, Wed); how hungry are you?`";

const choice = (text: string, inputType: Item["inputType"], options: readonly string[]): Item => {
  return { text, inputType, options, isRequired: false };
};

export const ownScript: Script = {
  items: [
    { text: "What shall I call you?", inputType: "text", options: [], placeholder: "your name", isRequired: true },
    choice("What brought you here?", "radio", ["Curiosity", "Work", "Somebody invited me"]),
    choice("Which of these would you like to try?", "checkbox", [
      "Whispering",
      "Passing the floor",
      "Bringing an agent",
    ]),
    choice("How many agents make a good conversation?", "dropdown", ["One", "Two", "Three to five", "More"]),
    choice("Should an agent speak up when nobody has called it?", "binary_choice", ["Yes", "No"]),
  ],
};

const itemsMax = 10;
const itemCharsMax = 200;
const optionsMax = 12;
const optionCharsMax = 60;
/** More choices than this become a dropdown. */
const laidOutMax = 5;

type InterviewRequest = { kind: "start"; script: Script } | { kind: "howTo" };

/** `interview me`, `interview me about lunch: which day? (Mon, Tue); how hungry?` Returns undefined for any other text. */
export function requestIn(text: string): InterviewRequest | undefined {
  const said = text.replaceAll(/\s+/gu, " ").trim();
  const found =
    /^(?:please )?(?:(?:can|could|will|would) you )?(?:please )?interview me(?: please)?(?: about (?<topic>[^:]{1,60}))?(?:: ?(?<items>.*))?$/iu.exec(
      said.replace(/(?:,? please)?[.!?]*$/iu, ""),
    ) ??
    /^(?:(?:i want|i would like|i'd like) to be interviewed|(?:start|begin) (?:an |the |my )?interview|ask me some questions)[.!?]*$/iu.exec(
      said,
    );
  if (found === null) return undefined;
  const { topic, items } = found.groups ?? {};
  if (items === undefined) return topic === undefined ? { kind: "start", script: ownScript } : { kind: "howTo" };
  const own = itemsIn(said.slice(said.indexOf(":") + 1));
  if (own.length === 0) return { kind: "howTo" };
  return { kind: "start", script: { items: own, ...(topic !== undefined && { topic: topic.trim() }) } };
}

function itemsIn(words: string): Item[] {
  return words
    .split(";")
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part.replace(/\(.*$/u, "")))
    .slice(0, itemsMax)
    .map(itemFrom);
}

/** Choices stand in parentheses at the end; after `any:` several may be chosen. */
function itemFrom(part: string): Item {
  const [, asked = part, given = ""] = /^([^(]*)\(([^()]*)\)[?.]?$/u.exec(part) ?? [];
  const text = asked.trim().slice(0, itemCharsMax);
  const isMany = /^any:/iu.test(given);
  const labels = given
    .replace(/^any:/iu, "")
    .split(",")
    .map((label) => label.trim().slice(0, optionCharsMax));
  const options = [...new Set(labels.filter((label) => label !== ""))].slice(0, optionsMax);
  if (options.length < 2)
    return { text: part.slice(0, itemCharsMax), inputType: "text", options: [], isRequired: false };
  return { text, inputType: isMany ? "checkbox" : inputTypeFor(options), options, isRequired: false };
}

function inputTypeFor(options: readonly string[]): Item["inputType"] {
  const isYesOrNo = options.length === 2 && /^yes$/iu.test(options[0] ?? "") && /^no$/iu.test(options[1] ?? "");
  if (isYesOrNo) return "binary_choice";
  return options.length > laidOutMax ? "dropdown" : "radio";
}
