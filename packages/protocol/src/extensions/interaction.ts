import { recordOf } from "../is-record.ts";
import type { DialogEvent } from "../model/dialog-event.ts";
import type { Feature } from "../model/feature.ts";
import { shownValue, wordsOfValue } from "../read/text.ts";

export const interactionMimeType = "application/vnd.plenary.interaction+json";

export type InputType = "text" | "radio" | "checkbox" | "dropdown" | "binary_choice" | "notification";

export type Option = { id: string; label: string; value: string; description?: string };

/** The fields of a question that could be read. */
type Interaction = InteractionTexts & {
  inputType: InputType;
  options: readonly Option[];
  isRequired: boolean;
  timeoutMs?: number;
};

/** `url`: a page for a step before the answer, such as giving consent. */
const textNames = ["id", "text", "placeholder", "error", "url"] as const;
type InteractionTexts = { [name in (typeof textNames)[number]]?: string };

const optionsMax = 100;
/** Longer time limits are ignored. */
const timeoutMsMax = 30 * 86_400_000;
const inputTypes: readonly string[] = ["text", "radio", "checkbox", "dropdown", "binary_choice", "notification"];

/** Reads the interaction feature of D31. Hand-written ones contain mistakes, so the reader is tolerant. */
export function readInteraction({ features }: DialogEvent): Interaction | undefined {
  const value = objectOf(featureIn(features)?.tokens[0]?.value);
  if (value === undefined) return undefined;
  const timeoutMs = Number(wordsOfValue(value.timeout)) * 1000;
  return {
    ...inputOf(value.input_type, optionsOf(value.options)),
    // NeMo's default: an empty answer is none.
    isRequired: value.required !== false && value.required !== "false",
    ...textsIn(value),
    ...(timeoutMs > 0 && timeoutMs <= timeoutMsMax && { timeoutMs }),
  };
}

function textsIn(value: Record<string, unknown>): InteractionTexts {
  const found = textNames.map((name) => [name, wordsOf(value[name])] as const);
  return Object.fromEntries(found.filter(([, words]) => words !== undefined));
}

function featureIn(features: DialogEvent["features"]) {
  const all = Object.entries(features);
  const custom = all.find(([name, one]) => name !== "interactionReply" && one.mimeType === interactionMimeType);
  return features.interaction ?? custom?.[1];
}

/** A choice without options is a text input. */
function inputOf(named: unknown, options: readonly Option[]): Pick<Interaction, "inputType" | "options"> {
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

/** The text of a value: NeMo allows any value in a choice. */
function wordsOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const words = shownValue(value).trim();
  return words === "" ? undefined : words;
}

/** D31: the answer as data, so that the asker need not parse the text. */
export function replyFeature(id: string, values: readonly string[]): Feature {
  return { mimeType: interactionMimeType, tokens: [{ value: { id, values: [...values] } }] };
}

/** `isLapsed`: the question was not answered in time. */
type Reply = { id: string; values: string[]; isLapsed?: true };

/** The feature for a question that was not answered in time. */
export function lapseFeature(id: string): Feature {
  return { mimeType: interactionMimeType, tokens: [{ value: { id, values: [], lapsed: true } }] };
}

/** The answer in an utterance's feature: the question's id and the values. */
export function replyIn({ features }: DialogEvent): Reply | undefined {
  const { id, values, lapsed } = recordOf(features.interactionReply?.tokens[0]?.value);
  if (typeof id !== "string" || !Array.isArray(values)) return undefined;
  const words = values.flatMap((value) => wordsOfValue(value) ?? []);
  return { id, values: words, ...(lapsed === true && { isLapsed: lapsed }) };
}

/** The text of an answer: the labels of the options. Never empty, as an utterance needs text. */
export function answerWords(options: readonly Option[], values: readonly string[]): string {
  const words = values.map((value) => options.find((option) => option.value === value)?.label ?? value).join(", ");
  return words.trim() === "" ? "No answer" : words;
}

/** The option that a text names: by label or value, else by id (its number if it has none). */
export function optionNamed(options: readonly Option[], words: string): Option | undefined {
  const said = words.toLowerCase();
  const isSaid = (name: string) => name.toLowerCase() === said;
  return options.find(({ label, value }) => isSaid(label) || isSaid(value)) ?? options.find(({ id }) => isSaid(id));
}

/** "42 s left", "3 min left", "2 h left". */
export function timeLeft(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  if (seconds < 120) return `${seconds} s left`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min left` : `${Math.round(seconds / 3600)} h left`;
}
