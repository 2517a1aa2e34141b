// The questions of D31 that tests ask people, and an agent that asks them.
import { randomUUID } from "node:crypto";
import type { Json } from "./frame-checks.ts";
import type { Cue, ScriptedAgent } from "./scripted-agents.ts";

const options = [
  { id: "email", label: "Email", value: "email", description: "Receive notifications via email" },
  { id: "sms", label: "SMS", value: "sms", description: "Receive notifications via SMS" },
  { id: "push", label: "Push Notification", value: "push", description: "Receive notifications via push" },
];

export const questions: Record<string, Json> = {
  text: { input_type: "text", text: "What is your name?", placeholder: "Ada", required: true },
  binary_choice: {
    input_type: "binary_choice",
    text: "Should I continue or cancel?",
    options: [
      { id: "continue", label: "Continue", value: "continue" },
      { id: "cancel", label: "Cancel", value: "cancel" },
    ],
  },
  radio: { input_type: "radio", text: "Which one do you prefer?", options },
  checkbox: { input_type: "checkbox", text: "Which ones would you like?", options },
  dropdown: { input_type: "dropdown", text: "Which one from the list?", options },
};

/** "ask radio" asks that question; "ask radio 1" sets a timeout of one second. The agent says what was chosen. */
export function asking(cue: Cue): unknown {
  if (cue.chosen?.lapsed) return cue.answer();
  if (cue.chosen !== undefined) return cue.say(`chosen: ${cue.chosen.values.join("+")}`);
  const [, kind = "", seconds] = /^ask (\w+)(?: (\d+))?$/u.exec(cue.text) ?? [];
  const question = questions[kind];
  if (question === undefined) return cue.say(`said: ${cue.text}`);
  const timeout = seconds === undefined ? {} : { timeout: Number(seconds), error: "Too late for that." };
  return cue.ask({ id: `q-${randomUUID()}`, ...question, ...timeout });
}

/** The choices that this agent got from dialogs. */
export function chosenBy({ cues }: ScriptedAgent): string[][] {
  return cues.items.flatMap(({ chosen }) => (chosen === undefined || chosen.lapsed ? [] : [chosen.values]));
}
