import type { DialogEvent } from "./dialog-event.ts";
import type { Feature } from "./feature.ts";
import { interactionMimeType, type Option } from "./interaction.ts";
import { recordOf } from "./record.ts";
import { wordsOfValue } from "./value-text.ts";

/** D31: the answer, for whoever asked and does not want to guess it from the words. */
export function replyFeature(id: string, values: readonly string[]): Feature {
  return { mimeType: interactionMimeType, tokens: [{ value: { id, values: [...values] } }] };
}

/** `isLapsed`: nobody answered in time. */
type Reply = { id: string; values: string[]; isLapsed?: true };

/** Nobody answered it in time. */
export function lapseFeature(id: string): Feature {
  return { mimeType: interactionMimeType, tokens: [{ value: { id, values: [], lapsed: true } }] };
}

/** Which question an utterance answers by its feature, and what. */
export function replyIn({ features }: DialogEvent): Reply | undefined {
  const { id, values, lapsed } = recordOf(features.interactionReply?.tokens[0]?.value);
  if (typeof id !== "string" || !Array.isArray(values)) return undefined;
  const words = values.flatMap((value) => wordsOfValue(value) ?? []);
  return { id, values: words, ...(lapsed === true && { isLapsed: lapsed }) };
}

/** What is said aloud for an answer: the labels, as a person would say them. An utterance is never without words. */
export function answerWords(options: readonly Option[], values: readonly string[]): string {
  const words = values.map((value) => options.find((option) => option.value === value)?.label ?? value).join(", ");
  return words.trim() === "" ? "No answer" : words;
}

/** The option that somebody says: by its label or value, else by its id, which is its number where it has none. */
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
