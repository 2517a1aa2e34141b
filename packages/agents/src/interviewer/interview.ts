// The state machine of one person's interview, pure.
import type { Item, Script } from "./script.ts";

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
