import { isRecord } from "@plenary/protocol";
import { noLongerAvailable } from "./prompt.ts";
import type { PromptOption } from "./server-message.ts";
import { clipped, wordsOf } from "./words.ts";

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
