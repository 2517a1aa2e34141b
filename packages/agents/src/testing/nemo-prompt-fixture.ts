import type { FloorEvent } from "@plenary/protocol";
import type { NemoSettings } from "../nemo/settings.ts";
import { nemoFixture, type Workflow, wordsIn } from "./nemo-fixture.ts";

export const consentUrl = "https://login.example/?state=1";

export const colours = {
  input_type: "radio",
  text: "Which colour?",
  timeout: 60,
  options: [
    { id: "r", label: "Red", value: "#f00", description: "like a rose" },
    { id: "b", label: "Blue", value: "#00f" },
  ],
};

/** A workflow that waits for Ann's answer to a prompt. */
export async function waitingForAnswer(prompt: object = colours, settings: Partial<NemoSettings> = {}) {
  const stage = nemoFixture(settings);
  await stage.invite();
  const flow = await stage.workflow();
  const answer = stage.say("paint it");
  await flow.take();
  flow.prompt(prompt);
  const events = await answer;
  return { ...stage, flow, events, id: idOf(events) };
}

const idOf = ([event]: readonly FloorEvent[]) =>
  event?.eventType === "utterance" ? event.parameters.dialogEvent.id : "none";

export async function answerReceived(flow: Workflow): Promise<unknown> {
  const message = await flow.take();
  return [message.type, ...wordsIn(message)];
}
