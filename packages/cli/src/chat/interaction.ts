import type { DialogEvent, Feature } from "@plenary/protocol";

const mimeType = "application/vnd.plenary.interaction+json";

type InputType = "text" | "radio" | "checkbox" | "dropdown" | "binary_choice" | "notification";

export type Option = { label: string; value: string; description?: string };

/** What a question says of itself (D31), as far as it can be understood. */
type Interaction = {
  inputType: InputType;
  options: readonly Option[];
  isRequired: boolean;
  id?: string;
  text?: string;
  timeoutMs?: number;
};

/** A question an agent put to somebody (D31). */
export type Question = Pick<Interaction, "inputType" | "options" | "isRequired"> & {
  id: string;
  /** Who asks. */
  sender: string;
  /** Whom; everyone when absent. */
  to?: string;
  isWhisper: boolean;
  text: string;
  /** When its time is up, in ms since 1970; never when absent. */
  untilMs?: number;
};

const optionsMax = 100;
const timeoutMsMax = 30 * 86_400_000;
const inputTypes: readonly string[] = ["text", "radio", "checkbox", "dropdown", "binary_choice", "notification"];

/** Whoever writes one by hand gets something wrong, so much is forgiven. */
export function readInteraction({ features }: DialogEvent): Interaction | undefined {
  const value = recordIn(featureIn(features)?.tokens[0]?.value);
  if (value === undefined) return undefined;
  const id = wordsIn(value.id);
  const text = wordsIn(value.text);
  const timeoutMs = Number(value.timeout) * 1000;
  return {
    ...kindOf(value.input_type, optionsIn(value.options)),
    isRequired: value.required !== false && value.required !== "false",
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text }),
    ...(timeoutMs > 0 && timeoutMs <= timeoutMsMax && { timeoutMs }),
  };
}

export function replyFeature(id: string, values: readonly string[]): Feature {
  return { mimeType, tokens: [{ value: { id, values: [...values] } }] };
}

/** Which question an utterance answers by its feature. */
export function replyIn({ features }: DialogEvent): string | undefined {
  const value = recordIn(features.interactionReply?.tokens[0]?.value);
  return value === undefined || !Array.isArray(value.values) ? undefined : wordsIn(value.id);
}

function featureIn(features: DialogEvent["features"]): Feature | undefined {
  if (features.interaction !== undefined) return features.interaction;
  const name = Object.keys(features).find((one) => one !== "interactionReply" && features[one]?.mimeType === mimeType);
  return name === undefined ? undefined : features[name];
}

/** Without anything to choose from, a choice is a text. */
function kindOf(named: unknown, options: readonly Option[]): Pick<Interaction, "inputType" | "options"> {
  if (named === "notification") return { inputType: named, options: [] };
  if (named === "binary_choice" && options.length === 0) return { inputType: named, options: yesAndNo };
  if (options.length === 0) return { inputType: "text", options };
  if (named === undefined) return { inputType: "radio", options };
  return { inputType: isInputType(named) ? named : "text", options };
}

const yesAndNo: readonly Option[] = [
  { label: "Yes", value: "yes" },
  { label: "No", value: "no" },
];

function isInputType(named: unknown): named is InputType {
  return typeof named === "string" && inputTypes.includes(named);
}

function optionsIn(given: unknown): Option[] {
  if (!Array.isArray(given)) return [];
  return given.slice(0, optionsMax).flatMap((one) => {
    const option: Record<string, unknown> | undefined = typeof one === "object" ? recordIn(one) : { label: one };
    const value = wordsIn(option?.value);
    const label = wordsIn(option?.label) ?? value ?? wordsIn(option?.id);
    if (label === undefined) return [];
    const description = wordsIn(option?.description);
    return [{ label, value: value ?? label, ...(description !== undefined && { description }) }];
  });
}

function recordIn(value: unknown): Record<string, unknown> | undefined {
  if (typeof value === "string") return recordIn(parsed(value));
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

function wordsIn(value: unknown): string | undefined {
  const words = ["string", "number", "boolean"].includes(typeof value) ? String(value).trim() : "";
  return words === "" ? undefined : words;
}
