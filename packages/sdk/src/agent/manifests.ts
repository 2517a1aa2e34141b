import {
  type DialogEvent,
  type EventOf,
  type FloorEvent,
  isPrivate,
  type Manifest,
  publishManifests,
  type ScoredManifest,
  textOf,
} from "@plenary/protocol";
import { askerOf, isUtterance, type Scene, type Self, type Stage, stepOf, whomFor } from "./context.ts";
import { heardOf } from "./handler-input.ts";
import type { AgentManifest, HeardManifestsQuestion, Recommendation } from "./handlers.ts";
import { guarded, within } from "./run-handler.ts";

type Question = EventOf<"getManifests">;

export async function recommend<State>(event: Question, scene: Scene<State>): Promise<FloorEvent[]> {
  const { onManifests } = scene.handlers;
  const { step, heard } = questionOf(event, scene);
  const work = async () => (await within(scene, () => onManifests?.(heard))) ?? recommendSelf(heard, scene);
  return published(await guarded(step, scene, work), scene);
}

function questionOf<State>(event: Question, scene: Scene<State>) {
  const step = stepOf(event, scene);
  const scope = event.parameters?.recommendScope ?? "internal";
  const tasks = tasksOf(scene);
  const heard: HeardManifestsQuestion<State> = {
    ...heardOf(step, scene),
    ...{ scope, tasks, text: tasks.map(textOf).join(" ") },
    dialect: scene.dialect,
    own: publishable(scene.settings.manifest, scene.self),
  };
  return { step, heard };
}

function published(recommendation: Recommendation | undefined, scene: Stage): FloorEvent[] {
  if (recommendation === undefined) return [];
  const { said, ...manifests } = recommendation;
  const event = publishManifests({ to: askerOf(scene), ...manifests });
  return said === undefined ? [event] : [event, said];
}

/** Spec 1.17: the private utterance beside the question tells the task; it is not said to be answered. */
export function isTask(event: FloorEvent, scene: Stage): boolean {
  return isUtterance(event) && isPrivate(event) && whomFor(event, scene) === "me";
}

function tasksOf(scene: Stage): DialogEvent[] {
  const tasks = scene.envelope.events.filter((event) => isTask(event, scene)).filter(isUtterance);
  return tasks.map(({ parameters }) => parameters.dialogEvent);
}

/** Spec 2.1: of a servicing agent. Undefined is silence. */
function recommendSelf(
  { isAddressed, scope, text, own }: HeardManifestsQuestion<unknown>,
  { settings, dialect }: Stage,
): Recommendation | undefined {
  if (scope === "external") return undefined;
  // Asked with everyone about a task, an agent that is not sure says nothing; 0.9 wants every agent to propose itself.
  if (!isAddressed && text !== "" && dialect !== "0.9" && !fits(settings.manifest, text)) return undefined;
  // Without a score 0.9 would read it as the answer to another question, requestManifest.
  const mine: ScoredManifest = dialect === "0.9" && scope === "all" ? { ...own, score: 1 } : own;
  return { servicingManifests: [mine] };
}

/** Spec 1.17: asked for somebody else at our address, we know nobody, unless the agent says otherwise. */
export async function recommendAnother<State>(event: Question, scene: Scene<State>): Promise<FloorEvent[]> {
  const { serviceUrl } = event.to ?? {};
  if (serviceUrl === undefined || whomFor({ ...event, to: { serviceUrl } }, scene) !== "me") return [];
  const { onManifestsOfAnother } = scene.handlers;
  const { step, heard } = questionOf(event, scene);
  const work = async () => (await within(scene, () => onManifestsOfAnother?.(heard))) ?? { servicingManifests: [] };
  return published(await guarded(step, scene, work), scene);
}

function publishable({ identification, ...others }: AgentManifest, { serviceUrl }: Pick<Self, "serviceUrl">) {
  const { speakerUri, ...named } = identification;
  const manifest: Manifest = { ...others, identification: { speakerUri, ...named, serviceUrl } };
  return manifest;
}

function fits({ capabilities }: AgentManifest, task: string): boolean {
  const words = wordsOf(task);
  return capabilities.some(({ keyphrases }) =>
    keyphrases.some((phrase) => phrase.trim() !== "" && words.includes(wordsOf(phrase))),
  );
}

function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ")} `;
}
