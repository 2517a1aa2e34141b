import { answerWords, isSameUri } from "@plenary/protocol";
import { texts } from "../texts/texts.ts";
import type { Prompt } from "./read-prompts.ts";

export type PromptStatus =
  | { kind: "open" }
  | { kind: "answered"; by: string; words: string }
  | { kind: "expired" }
  /** Addressed to another conversant. */
  | { kind: "watched" };

/** Status of a prompt for the reader. */
export function promptStatus(prompt: Prompt, me: string, nowMs: number): PromptStatus {
  const { reply, to, sender, untilMs, isOver } = prompt;
  if (reply !== undefined) return { kind: "answered", by: reply.by, words: answerWords(prompt.options, reply.values) };
  if (isOver || (untilMs !== undefined && nowMs >= untilMs)) return { kind: "expired" };
  const isAsked = !isSameUri(sender, me) && (to === undefined || isSameUri(to, me));
  return { kind: isAsked ? "open" : "watched" };
}

/** Text for an answer that lacks a required value. */
export function missingAnswer({ inputType, isRequired }: Prompt, values: readonly string[]): string | undefined {
  if (!isRequired || values.some((value) => value.trim() !== "")) return undefined;
  if (inputType === "text") return texts.prompts.writeFirst;
  return inputType === "checkbox" ? texts.prompts.tickFirst : texts.prompts.chooseFirst;
}

/** The open prompt for the reader that expires first, else the oldest. */
export function mostUrgent(prompts: readonly Prompt[], me: string, nowMs: number): Prompt | undefined {
  const open = prompts.filter(
    (prompt) => prompt.inputType !== "notification" && promptStatus(prompt, me, nowMs).kind === "open",
  );
  const deadlineOf = ({ untilMs = Number.MAX_VALUE }: Prompt) => untilMs;
  return open.sort((one, other) => deadlineOf(one) - deadlineOf(other))[0];
}
