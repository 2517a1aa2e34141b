import { isRecord } from "@plenary/protocol";
import { clipped, wordsOf } from "../format-text.ts";
import type { PromptContent, PromptOption } from "./server-message.ts";

/** A question of D31, as whoever asks means it. */
export type Asked = {
  inputType: "text" | "radio" | "checkbox" | "dropdown" | "binary_choice" | "notification";
  text?: string;
  options: readonly { id: string; label: string; value: string; description?: string }[];
  isRequired: boolean;
  placeholder?: string;
  /** What is shown when its time is up. */
  error?: string;
  timeoutMs?: number;
};

export type PromptManner = {
  /** The stock client has no control for a checkbox or a dropdown: whoever gets one is stuck. */
  hasAllPrompts: boolean;
  /** What is left of its time. */
  leftMs?: number;
};

/** What is shown when the time of a question is up and whoever asked did not say. */
export const noLongerAvailable = "This prompt is no longer available.";

export function promptContent(asked: Asked, { hasAllPrompts, leftMs = asked.timeoutMs }: PromptManner): PromptContent {
  const { inputType, isRequired: required } = asked;
  const options: PromptOption[] = asked.options.map(({ id, label, value, description }) => ({
    ...{ id, label, value },
    ...(description !== undefined && { description }),
  }));
  const every = {
    text: asked.text ?? "",
    timeout: leftMs === undefined ? null : Math.max(1, Math.ceil(leftMs / 1000)),
    error: asked.error ?? noLongerAvailable,
  };
  if (inputType === "notification") return { ...every, input_type: inputType };
  const isWords = inputType === "text" || options.length === 0;
  if (isWords || (inputType === "checkbox" && !hasAllPrompts)) {
    const text = options.length === 0 ? every.text : numbered(every.text, options, isWords);
    return { ...every, text, input_type: "text", placeholder: asked.placeholder ?? null, required };
  }
  if (inputType === "binary_choice" && options.length === 2)
    return { ...every, input_type: inputType, options, required };
  const isKept = inputType === "checkbox" || (inputType === "dropdown" && hasAllPrompts);
  return { ...every, input_type: isKept ? inputType : "radio", options, required };
}

/** Clients show the text of a prompt as a title: the breaks of its lines are lost there. */
function numbered(text: string, options: readonly PromptOption[], isOne: boolean): string {
  const choices = options.map((option, index) => `(${index + 1}) ${labelOf(option)}`).join("; ");
  return `${text} ${choices}${isOne ? "" : `. ${severalAdvice}`}`.trimStart();
}

/** For whoever has no control for them. */
export function optionLines(options: readonly PromptOption[]): string[] {
  return options.map((option, index) => `${index + 1}. ${labelOf(option)}`);
}

function labelOf({ label, description }: PromptOption): string {
  return description === undefined || description === label ? label : `${label} - ${description}`;
}

export const severalAdvice = "Answer with the numbers you choose, with commas between them.";

/** A question of a server that waits for an answer. */
export type ServerPrompt = {
  inputType: "text" | "binary_choice" | "radio" | "checkbox" | "dropdown";
  text: string;
  /** None for a text. What is answered is the value. */
  options: readonly PromptOption[];
  isRequired: boolean;
  placeholder?: string;
  timeoutMs?: number;
  /** What is shown when its time is up. */
  error: string;
};

const optionsMax = 100;
const textLengthMax = 20_000;
const wordsLengthMax = 1_000;
/** Longer than this nobody counts down, and no timer of JavaScript does. */
const timeoutSecondsMax = 24 * 86_400;

/** What a field of an option holds when the workflow did not say. */
const unsaid = "default";

export function readPrompt(content: Record<string, unknown>): ServerPrompt {
  const listed: unknown[] = Array.isArray(content.options) ? content.options : [];
  const options = listed.slice(0, optionsMax).map((one, index) => optionOf(one, index + 1));
  const seconds = Number(content.timeout ?? Number.NaN);
  const placeholder = clipped(wordsOf(content.placeholder), wordsLengthMax);
  return {
    ...kindOf(content.input_type, options),
    text: clipped(wordsOf(content.text), textLengthMax),
    isRequired: content.required !== false && content.required !== "false",
    ...(placeholder !== "" && { placeholder }),
    ...(seconds > 0 && seconds <= timeoutSecondsMax && { timeoutMs: Math.ceil(seconds * 1000) }),
    error: clipped(wordsOf(content.error), wordsLengthMax) || noLongerAvailable,
  };
}

/** Without anything to choose from, a choice is a text; whatever has options and no known name, a choice of one. */
function kindOf(named: unknown, options: readonly PromptOption[]): Pick<ServerPrompt, "inputType" | "options"> {
  if (named === "binary_choice" && options.length === 0) return { inputType: named, options: yesAndNo };
  if (named === "text" || options.length === 0) return { inputType: "text", options: [] };
  const isKnown = named === "binary_choice" || named === "checkbox" || named === "dropdown";
  return { inputType: isKnown ? named : "radio", options };
}

const yesAndNo: readonly PromptOption[] = [
  { id: "yes", label: "Yes", value: "yes" },
  { id: "no", label: "No", value: "no" },
];

function optionOf(given: unknown, number: number): PromptOption {
  const option = isRecord(given) ? given : { value: given };
  const said = (value: unknown) => clipped(wordsOf(value === unsaid ? undefined : value), wordsLengthMax);
  const label = said(option.label) || said(option.value) || said(option.id) || `Option ${number}`;
  const description = said(option.description);
  return {
    id: said(option.id) || String(number),
    label,
    value: said(option.value) || label,
    ...(description !== "" && { description }),
  };
}
