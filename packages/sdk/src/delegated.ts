import type { EventType, FloorEvent } from "@plenary/protocol";
import { heardOf } from "./heard.ts";
import { run } from "./run.ts";
import { isMe, type Scene, type Stage, stepOf, whomFor } from "./scene.ts";

/** By the list of roles in the envelope. */
export function isConvener(scene: Stage): boolean {
  const conveners = scene.envelope.conversation.assignedFloorRoles?.convener ?? [];
  return conveners.some((speakerUri) => isMe(speakerUri, scene));
}

/** The floor asks, and somebody here decides. */
export function isDelegation<State>(scene: Scene<State>): boolean {
  if (scene.handlers.onDelegated === undefined || !isConvener(scene)) return false;
  return scene.isDelegated ?? isSeemingly(scene);
}

const alwaysDelegated: readonly EventType[] = ["invite", "uninvite", "requestFloor", "grantFloor", "revokeFloor"];

/** Our choice: a floor that does not tell is taken to follow the table of 2.2, which sends what it delegates alone. */
function isSeemingly(scene: Stage): boolean {
  const { events, sender, conversation } = scene.envelope;
  const [event, another] = events;
  if (event === undefined || another !== undefined) return false;
  if (event.eventType === "utterance") {
    return conversation.floorGranted?.includes(sender.speakerUri) === false;
  }
  // It invites the convener itself, and a floor that has the role ready names it already.
  if (event.eventType === "invite" && whomFor(event, scene) !== "other") return false;
  return alwaysDelegated.includes(event.eventType);
}

export async function answerDelegated<State>(scene: Scene<State>): Promise<FloorEvent[]> {
  const answers: FloorEvent[] = [];
  for (const event of scene.envelope.events) {
    const step = stepOf(event, scene);
    answers.push(...(await run(scene.handlers.onDelegated, heardOf(step, scene), step, scene)));
  }
  return answers;
}
