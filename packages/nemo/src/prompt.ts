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
