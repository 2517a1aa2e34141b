import { textOf } from "@plenary/protocol";
import type { DialogEvent } from "../api/types.ts";
import type { Prompt } from "../prompts/read-prompts.ts";

/** Its text repeats the question, and the choices, for those who cannot show one; here it is said once. */
export function withoutQuestion(dialogEvent: DialogEvent, prompt: Pick<Prompt, "text" | "options">): DialogEvent {
  const question = prompt.text.trim();
  const choices = prompt.options.map(({ label }) => label).join(", ");
  const said = textOf(dialogEvent).trim();
  if (said !== question && said !== `${question} (${choices})`) return dialogEvent;
  const { text: _, ...features } = dialogEvent.features;
  return { ...dialogEvent, features };
}
