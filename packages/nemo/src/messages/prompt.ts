import { isRecord, wordsOfValue } from "@plenary/protocol";
import { clipText, toText } from "../format-text.ts";
import type { PromptContent, PromptOption } from "./server-message.ts";

/** A question of an agent (D31). */
export type PromptQuestion = {
  inputType: "text" | "radio" | "checkbox" | "dropdown" | "binary_choice" | "notification";
  text?: string;
  options: readonly { id: string; label: string; value: string; description?: string }[];
  isRequired: boolean;
  placeholder?: string;
  /** Shown when the time is up. */
  error?: string;
  timeoutMs?: number;
};

export type PromptOptions = {
  /** False for the stock client, which has no control for a checkbox or a dropdown. */
  hasAllPrompts: boolean;
  /** The remaining time. */
  leftMs?: number;
};

/** The default of `error`. */
export const noLongerAvailable = "This prompt is no longer available.";

export function promptContent(
  asked: PromptQuestion,
  { hasAllPrompts, leftMs = asked.timeoutMs }: PromptOptions,
): PromptContent {
  const { inputType, isRequired: required } = asked;
  const options: PromptOption[] = asked.options.map(({ id, label, value, description }) => ({
    id,
    label,
    value,
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

/** Clients show the text of a prompt as a title without line breaks. */
function numbered(text: string, options: readonly PromptOption[], isOne: boolean): string {
  const choices = options.map((option, index) => `(${index + 1}) ${labelOf(option)}`).join("; ");
  return `${text} ${choices}${isOne ? "" : `. ${severalAdvice}`}`.trimStart();
}

/** For clients without a control for options. */
export function optionLines(options: readonly PromptOption[]): string[] {
  return options.map((option, index) => `${index + 1}. ${labelOf(option)}`);
}

function labelOf({ label, description }: PromptOption): string {
  return description === undefined || description === label ? label : `${label} - ${description}`;
}

export const severalAdvice = "Answer with the numbers you choose, with commas between them.";

/** A prompt of a server that needs an answer. */
export type ServerPrompt = {
  inputType: "text" | "binary_choice" | "radio" | "checkbox" | "dropdown";
  text: string;
  /** Empty for a text prompt. The answer is the value of an option. */
  options: readonly PromptOption[];
  isRequired: boolean;
  placeholder?: string;
  timeoutMs?: number;
  /** Shown when the time is up. */
  error: string;
};

const optionsMax = 100;
const textLengthMax = 20_000;
const wordsLengthMax = 1_000;
/** A longer time exceeds the maximum of JavaScript timers. */
const timeoutSecondsMax = 24 * 86_400;

/** The toolkit writes this value for an empty field of an option. */
const placeholderValue = "default";

export function readPrompt(content: Record<string, unknown>): ServerPrompt {
  const listed: unknown[] = Array.isArray(content.options) ? content.options : [];
  const options = listed.slice(0, optionsMax).map((one, index) => optionOf(one, index + 1));
  const seconds = Number(wordsOfValue(content.timeout));
  const placeholder = clipText(toText(content.placeholder), wordsLengthMax);
  return {
    ...inputTypeOf(content.input_type, options),
    text: clipText(toText(content.text), textLengthMax),
    isRequired: content.required !== false && content.required !== "false",
    ...(placeholder !== "" && { placeholder }),
    ...(seconds > 0 && seconds <= timeoutSecondsMax && { timeoutMs: Math.ceil(seconds * 1000) }),
    error: clipText(toText(content.error), wordsLengthMax) || noLongerAvailable,
  };
}

/** A choice without options is a text prompt. An unknown type with options is a radio prompt. */
function inputTypeOf(named: unknown, options: readonly PromptOption[]): Pick<ServerPrompt, "inputType" | "options"> {
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
  const said = (value: unknown) => clipText(toText(value === placeholderValue ? undefined : value), wordsLengthMax);
  const label = said(option.label) || said(option.value) || said(option.id) || `Option ${number}`;
  const description = said(option.description);
  return {
    id: said(option.id) || String(number),
    label,
    value: said(option.value) || label,
    ...(description !== "" && { description }),
  };
}
