import type { PromptOption, ServerPrompt } from "@plenary/nemo";
import { optionNamed } from "@plenary/protocol";
import type { Question } from "@plenary/sdk";
import { choiceIn } from "@plenary/transcript";
import { shortened } from "../llm/history.ts";

/** What a person is asked for a workflow: its own prompt, or to give consent elsewhere. */
export type WorkflowPrompt =
  | {
      kind: "prompt";
      /** Which of its turn. */
      number: number;
      prompt: ServerPrompt;
      /** When its time is up. */
      untilMs: number;
    }
  | { kind: "consent"; url: string };

const consentOptions: readonly PromptOption[] = [
  { id: "continue", label: "Continue", value: "continue" },
  { id: "cancel", label: "Cancel", value: "cancel" },
];

/** D31. `lack`: what was wrong with the answer before. */
export function questionOf(asking: WorkflowPrompt, nowMs: number, lack = ""): Question {
  const before = lack === "" ? "" : `${lack} `;
  if (asking.kind === "consent") {
    const { url } = asking;
    // The address itself is long, and stands beside the text.
    const text = `${before}My workflow needs your consent: give it at ${new URL(url).host}, then continue.`;
    return { text, url, inputType: "binary_choice", options: consentOptions };
  }
  const { inputType, text, options, isRequired, placeholder, error } = asking.prompt;
  return {
    ...{ text: `${before}${text}`, inputType, options, required: isRequired, error },
    ...(placeholder !== undefined && { placeholder }),
    timeoutMs: Math.max(1, asking.untilMs - nowMs),
  };
}

/** What a workflow is told, or what is wrong with it. */
export type PromptAnswer =
  | { values: readonly string[] }
  | {
      lack: string;
      /** Meant as an answer, though it is a wrong one. */
      isMeant: boolean;
    };

const answerCharsMax = 32_768;
const quoteCharsMax = 60;
/** A reply without any words would cost the connection. */
const noWords = " ";

/** `values` when the answer was given by its feature; words otherwise. */
export function answerIn(asking: WorkflowPrompt, values: readonly string[] | undefined, text: string): PromptAnswer {
  const { inputType, options, isRequired } = asking.kind === "prompt" ? asking.prompt : consent;
  const words = values === undefined ? text.trim() : values.join(", ").trim();
  if (words === "") return isRequired ? { lack: "An answer is needed.", isMeant: true } : { values: [noWords] };
  if (inputType === "text") return { values: [words.slice(0, answerCharsMax)] };
  const chosen = values?.map((value) => optionNamed(options, value)).filter((option) => option !== undefined);
  if (chosen !== undefined && chosen.length === values?.length && isAllowedCount(chosen.length, inputType)) {
    return { values: chosen.map(({ value }) => value) };
  }
  const choice = choiceIn({ inputType, options }, words);
  if (choice !== undefined) return "lack" in choice ? { ...choice, isMeant: true } : choice;
  const lack = `"${shortened(words, quoteCharsMax)}" is none of the choices.`;
  return { lack, isMeant: values !== undefined };
}

/** In plain words. `rest`: what follows the name of the agent, where they begin with it. */
export function answerInText(asking: WorkflowPrompt, text: string, rest: string | undefined): PromptAnswer {
  const whole = answerIn(asking, undefined, text);
  if (rest === undefined || rest === "") return whole;
  const isText = asking.kind === "prompt" && asking.prompt.inputType === "text";
  return isText || "lack" in whole ? answerIn(asking, undefined, rest) : whole;
}

const consent = { inputType: "binary_choice", options: consentOptions, isRequired: true } as const;

function isAllowedCount(count: number, inputType: ServerPrompt["inputType"]): boolean {
  return inputType === "checkbox" || count === 1;
}

const urlCharsMax = 8_192;

/** Of what a workflow may send a person to. */
export function isSafeConsentUrl(url: string): boolean {
  if (url.length > urlCharsMax || /\s/u.test(url) || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}
