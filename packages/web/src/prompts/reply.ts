import { type Feature, isSameUri } from "@plenary/protocol";
import { interactionMimeType } from "../model/interaction.ts";
import type { Prompt } from "../model/prompts.ts";

export type Standing =
  | { kind: "open" }
  | { kind: "answered"; by: string; words: string }
  | { kind: "expired" }
  /** Asked of somebody else. */
  | { kind: "watched" };

/** How a question stands for whoever looks at it now. */
export function standingOf(prompt: Prompt, me: string, nowMs: number): Standing {
  const { reply, to, sender, untilMs, isOver } = prompt;
  if (reply !== undefined) return { kind: "answered", by: reply.by, words: wordsOf(prompt, reply.values) };
  if (isOver || (untilMs !== undefined && nowMs >= untilMs)) return { kind: "expired" };
  const isAsked = !isSameUri(sender, me) && (to === undefined || isSameUri(to, me));
  return { kind: isAsked ? "open" : "watched" };
}

/** What is said aloud for an answer: the labels, as a person would say them. An utterance is never without words. */
export function wordsOf({ options }: Pick<Prompt, "options">, values: readonly string[]): string {
  const words = values.map((value) => options.find((option) => option.value === value)?.label ?? value).join(", ");
  return words.trim() === "" ? "No answer" : words;
}

/** What stands in the way of sending, told at the field. */
export function lackOf({ inputType, isRequired }: Prompt, values: readonly string[]): string | undefined {
  if (!isRequired || values.some((value) => value.trim() !== "")) return undefined;
  if (inputType === "text") return "Please write something first.";
  return inputType === "checkbox" ? "Please tick at least one." : "Please choose one first.";
}

/** D31: the answer, for whoever asked and does not want to guess it from the words. */
export function replyFeature({ id }: Pick<Prompt, "id">, values: readonly string[]): Feature {
  return { mimeType: interactionMimeType, tokens: [{ value: { id, values: [...values] } }] };
}

/** Of those that wait for me, the one whose time runs out first; else the oldest. */
export function mostUrgent(prompts: readonly Prompt[], me: string, nowMs: number): Prompt | undefined {
  const open = prompts.filter(
    (prompt) => prompt.inputType !== "notification" && standingOf(prompt, me, nowMs).kind === "open",
  );
  return open.reduce<Prompt | undefined>((first, prompt) => (isSooner(prompt, first) ? prompt : first), undefined);
}

function isSooner({ untilMs = Number.POSITIVE_INFINITY }: Prompt, first: Prompt | undefined): boolean {
  return first === undefined || untilMs < (first.untilMs ?? Number.POSITIVE_INFINITY);
}

/** "42 s left", "3 min left", "2 h left". */
export function timeLeft(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  if (seconds < 120) return `${seconds} s left`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min left` : `${Math.round(seconds / 3600)} h left`;
}
