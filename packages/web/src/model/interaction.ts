import { shownValue, wordsOfValue } from "@plenary/floor";
import type { DialogEvent } from "../wire/types.ts";

export const interactionMimeType = "application/vnd.plenary.interaction+json";

export type InputType = "text" | "radio" | "checkbox" | "dropdown" | "binary_choice" | "notification";

export type Option = { id: string; label: string; value: string; description?: string };

/** What a question says of itself, as far as it can be understood. */
type Interaction = {
  inputType: InputType;
  options: readonly Option[];
  isRequired: boolean;
  id?: string;
  text?: string;
  placeholder?: string;
  error?: string;
  timeoutMs?: number;
};

const optionsMax = 100;
/** Longer than this nobody counts down. */
const timeoutMsMax = 30 * 86_400_000;
const inputTypes: readonly string[] = ["text", "radio", "checkbox", "dropdown", "binary_choice", "notification"];

/** The interaction feature of D31. Whoever writes one by hand gets something wrong, so much is forgiven. */
export function readInteraction({ features }: DialogEvent): Interaction | undefined {
  const feature = features.interaction ?? customFeature(features);
  const value = objectOf(feature?.tokens[0]?.value);
  if (value === undefined) return undefined;
  const id = wordsOf(value.id);
  const text = wordsOf(value.text);
  const placeholder = wordsOf(value.placeholder);
  const error = wordsOf(value.error);
  const timeoutMs = Number(wordsOfValue(value.timeout)) * 1000;
  return {
    ...kindOf(value.input_type, optionsOf(value.options)),
    // NeMo's default: an empty answer is none.
    isRequired: value.required !== false && value.required !== "false",
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text }),
    ...(placeholder !== undefined && { placeholder }),
    ...(error !== undefined && { error }),
    ...(timeoutMs > 0 && timeoutMs <= timeoutMsMax && { timeoutMs }),
  };
}

function customFeature(features: DialogEvent["features"]) {
  const named = Object.keys(features).find((name) => name !== "interactionReply" && isInteraction(features[name]));
  return named === undefined ? undefined : features[named];
}

function isInteraction(feature: DialogEvent["features"][string] | undefined): boolean {
  return feature?.mimeType === interactionMimeType;
}

/** Without anything to choose from, a choice is a text. */
function kindOf(named: unknown, options: readonly Option[]): Pick<Interaction, "inputType" | "options"> {
  if (named === "binary_choice" && options.length === 0) return { inputType: named, options: yesAndNo };
  if (named === "notification") return { inputType: named, options: [] };
  if (options.length === 0) return { inputType: "text", options };
  return { inputType: named === undefined ? "radio" : isInputType(named) ? named : "text", options };
}

const yesAndNo: readonly Option[] = [
  { id: "yes", label: "Yes", value: "yes" },
  { id: "no", label: "No", value: "no" },
];

function isInputType(named: unknown): named is InputType {
  return typeof named === "string" && inputTypes.includes(named);
}

function optionsOf(given: unknown): Option[] {
  if (!Array.isArray(given)) return [];
  return given.slice(0, optionsMax).flatMap((one, index) => optionOf(one, String(index + 1)));
}

function optionOf(given: unknown, place: string): Option[] {
  const option = typeof given === "object" ? objectOf(given) : { label: given };
  const value = wordsOf(option?.value);
  const label = wordsOf(option?.label) ?? value ?? wordsOf(option?.id);
  if (option === undefined || label === undefined) return [];
  const description = wordsOf(option.description);
  const id = wordsOf(option.id) ?? place;
  return [{ id, label, value: value ?? label, ...(description !== undefined && { description }) }];
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  if (typeof value === "string") return objectOf(parsed(value));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Something to show: NeMo allows any value in a choice. */
function wordsOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const words = shownValue(value).trim();
  return words === "" ? undefined : words;
}
