import type { PromptOption, ServerPrompt } from "@plenary/nemo";
import { optionNamed } from "@plenary/protocol";
import type { Question } from "@plenary/sdk";
import { choiceIn } from "@plenary/transcript";
import { shortened } from "../llm/history.ts";
import { isWebAddress } from "../media.ts";

/** A question of the workflow to a person: a prompt, or a consent to give in a browser. */
export type WorkflowPrompt =
  | {
      kind: "prompt";
      /** Its number within the turn. */
      number: number;
      content: ServerPrompt;
      /** When the prompt expires. */
      untilMs: number;
    }
  | { kind: "consent"; url: string };

const consentOptions: readonly PromptOption[] = [
  { id: "continue", label: "Continue", value: "continue" },
  { id: "cancel", label: "Cancel", value: "cancel" },
];

/** D31. `problem`: what was wrong with the previous answer. */
export function questionOf(prompt: WorkflowPrompt, nowMs: number, problem = ""): Question {
  const before = problem === "" ? "" : `${problem} `;
  if (prompt.kind === "consent") {
    const { url } = prompt;
    // The full address is long, so it is not part of the text.
    const text = `${before}My workflow needs your consent: give it at ${new URL(url).host}, then continue.`;
    return { text, url, inputType: "binary_choice", options: consentOptions };
  }
  const { inputType, text, options, isRequired, placeholder, error } = prompt.content;
  return {
    text: `${before}${text}`,
    inputType,
    options,
    required: isRequired,
    error,
    ...(placeholder !== undefined && { placeholder }),
    timeoutMs: Math.max(1, prompt.untilMs - nowMs),
  };
}

/** A valid answer for the workflow, or the problem with it. */
export type PromptAnswer =
  | { values: readonly string[] }
  | {
      problem: string;
      /** The person meant it as an answer. */
      isMeant: boolean;
    };

const answerCharsMax = 32_768;
const quoteCharsMax = 60;
/** The toolkit closes the connection after an empty reply. */
const noWords = " ";

/** `values`: the choices of a reply by feature; otherwise the text counts. */
export function answerIn(prompt: WorkflowPrompt, values: readonly string[] | undefined, text: string): PromptAnswer {
  const { inputType, options, isRequired } = prompt.kind === "prompt" ? prompt.content : consent;
  const words = values === undefined ? text.trim() : values.join(", ").trim();
  if (words === "") return isRequired ? { problem: "Please give an answer.", isMeant: true } : { values: [noWords] };
  if (inputType === "text") return { values: [words.slice(0, answerCharsMax)] };
  const chosen = values?.map((value) => optionNamed(options, value)).filter((option) => option !== undefined);
  if (chosen !== undefined && chosen.length === values?.length && isAllowedCount(chosen.length, inputType)) {
    return { values: chosen.map(({ value }) => value) };
  }
  const choice = choiceIn({ inputType, options }, words);
  if (choice !== undefined) return "lack" in choice ? { problem: choice.lack, isMeant: true } : choice;
  const problem = `"${shortened(words, quoteCharsMax)}" is not one of the choices.`;
  return { problem, isMeant: values !== undefined };
}

/** The answer in plain text. `rest`: the text after a leading name of the agent. */
export function answerInText(prompt: WorkflowPrompt, text: string, rest: string | undefined): PromptAnswer {
  const whole = answerIn(prompt, undefined, text);
  if (rest === undefined || rest === "") return whole;
  const isText = prompt.kind === "prompt" && prompt.content.inputType === "text";
  return isText || "problem" in whole ? answerIn(prompt, undefined, rest) : whole;
}

const consent = { inputType: "binary_choice", options: consentOptions, isRequired: true } as const;

function isAllowedCount(count: number, inputType: ServerPrompt["inputType"]): boolean {
  return inputType === "checkbox" || count === 1;
}

const urlCharsMax = 8_192;

/** Only http and https addresses without credentials are shown to people. */
export function isSafeConsentUrl(url: string): boolean {
  return !/\s/u.test(url) && isWebAddress(url, urlCharsMax);
}
