import type { FloorEvent } from "@plenary/protocol";
import { isConvener, isDelegatedByTable } from "./convening.ts";
import { heardOf } from "./heard.ts";
import { run } from "./run.ts";
import { type Scene, stepOf } from "./scene.ts";

/** The floor asks, and somebody here decides. */
export function isDelegation<State>(scene: Scene<State>): boolean {
  if (scene.handlers.onDelegated === undefined || !isConvener(scene)) return false;
  return scene.isDelegated ?? isDelegatedByTable(scene);
}

export async function answerDelegated<State>(scene: Scene<State>): Promise<FloorEvent[]> {
  const answers: FloorEvent[] = [];
  for (const event of scene.envelope.events) {
    const step = stepOf(event, scene);
    answers.push(...(await run(scene.handlers.onDelegated, heardOf(step, scene), step, scene)));
  }
  return answers;
}
