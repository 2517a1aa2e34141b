import { textOf } from "@plenary/protocol";
import type { Prompt } from "../model/prompts.ts";
import type { DialogEvent } from "../wire/types.ts";

/** Its text repeats the question, and the choices, for those who cannot show one; here it is said once. */
export function withoutQuestion(dialogEvent: DialogEvent, prompt: Pick<Prompt, "text" | "options">): DialogEvent {
  const question = prompt.text.trim();
  const choices = prompt.options.map(({ label }) => label).join(", ");
  const said = textOf(dialogEvent).trim();
  if (said !== question && said !== `${question} (${choices})`) return dialogEvent;
  const { text: _, ...features } = dialogEvent.features;
  return { ...dialogEvent, features };
}
