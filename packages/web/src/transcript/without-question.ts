import { textOf } from "@plenary/protocol";
import type { DialogEvent } from "../api/types.ts";
import type { Prompt } from "../prompts/read-prompts.ts";

/** The text repeats the question and its options for clients that cannot show prompts; here the card shows them. */
export function withoutQuestion(dialogEvent: DialogEvent, prompt: Pick<Prompt, "text" | "options">): DialogEvent {
  const question = prompt.text.trim();
  const choices = prompt.options.map(({ label }) => label).join(", ");
  const said = textOf(dialogEvent).trim();
  if (said !== question && said !== `${question} (${choices})`) return dialogEvent;
  const { text: _, ...features } = dialogEvent.features;
  return { ...dialogEvent, features };
}
