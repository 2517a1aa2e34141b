import {
  type EventOf,
  type FloorEvent,
  isPrivate,
  isSameUri,
  type Manifest,
  publishManifests,
  type ScoredManifest,
  type To,
  textOf,
} from "@plenary/protocol";
import type { AgentManifest, HeardManifestsQuestion, Recommendation } from "./handler.ts";
import { guarded, within } from "./run.ts";
import { heardOf, isUtterance, type Scene, type Self, type Stage, stepOf, whomFor } from "./scene.ts";

type Question = EventOf<"getManifests">;

export async function recommend<State>(event: Question, scene: Scene<State>): Promise<FloorEvent[]> {
  const { onManifests } = scene.handlers;
  const step = stepOf(event, scene);
  const scope = event.parameters?.recommendScope ?? "internal";
  const text = tasksOf(scene).join(" ");
  const heard: HeardManifestsQuestion<State> = { ...heardOf(step, scene), scope, text };
  const work = async () => (await within(scene, () => onManifests?.(heard))) ?? recommendSelf(heard, scene);
  const recommendation = await guarded(step, scene, work);
  return recommendation === undefined ? [] : [publishManifests({ to: askerOf(scene), ...recommendation })];
}

/** Spec 1.17: the private utterance beside the question tells the task; it is not said to be answered. */
export function isTask(event: FloorEvent, scene: Stage): boolean {
  return isUtterance(event) && isPrivate(event) && whomFor(event, scene) === "me";
}

function tasksOf(scene: Stage): string[] {
  const tasks = scene.envelope.events.filter((event) => isTask(event, scene)).filter(isUtterance);
  return tasks.map(({ parameters }) => textOf(parameters.dialogEvent));
}

/** Spec 2.1: of a servicing agent. Undefined is silence. */
function recommendSelf(
  { isAddressed, scope, text }: HeardManifestsQuestion<unknown>,
  scene: Stage,
): Recommendation | undefined {
  if (scope === "external") return undefined;
  const { self, settings, dialect } = scene;
  // Asked with everyone about a task, an agent that is not sure says nothing; 0.9 wants every agent to propose itself.
  if (!isAddressed && text !== "" && dialect !== "0.9" && !fits(settings.manifest, text)) return undefined;
  const manifest = publishable(settings.manifest, self);
  // Without a score 0.9 would read it as the answer to another question, requestManifest.
  const mine: ScoredManifest = dialect === "0.9" && scope === "all" ? { ...manifest, score: 1 } : manifest;
  return { servicingManifests: [mine] };
}

/** Spec 1.17: asked for somebody else at our address, we know nobody. */
export function recommendNobody({ to }: Question, scene: Stage): FloorEvent[] {
  const isHere = scene.self.addresses.some((mine) => to?.serviceUrl !== undefined && isSameUri(mine, to.serviceUrl));
  return isHere ? [publishManifests({ to: askerOf(scene), servicingManifests: [] })] : [];
}

function askerOf({ envelope }: Stage): To {
  const { speakerUri, serviceUrl } = envelope.sender;
  return { speakerUri, ...(serviceUrl !== undefined && { serviceUrl }) };
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
