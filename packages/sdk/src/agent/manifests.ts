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
import {
  addressedTo,
  type HandlerContext,
  incomingEvent,
  isUtterance,
  type ReceiveContext,
  type Self,
  senderAddress,
} from "./context.ts";
import { handlerInput } from "./handler-input.ts";
import type { AgentManifest, GetManifestsInput, Recommendation } from "./handlers.ts";
import { reportErrors, withTimeout } from "./run-handler.ts";

type GetManifestsEvent = EventOf<"getManifests">;

export async function answerGetManifests<State>(
  event: GetManifestsEvent,
  context: HandlerContext<State>,
): Promise<FloorEvent[]> {
  const { onManifests } = context.handlers;
  const { incoming, input } = manifestsInput(event, context);
  const work = async () => (await withTimeout(context, () => onManifests?.(input))) ?? recommendSelf(input, context);
  return publishEvents(await reportErrors(incoming, context, work), context);
}

function manifestsInput<State>(event: GetManifestsEvent, context: HandlerContext<State>) {
  const incoming = incomingEvent(event, context);
  const scope = event.parameters?.recommendScope ?? "internal";
  const tasks = tasksOf(context);
  const input: GetManifestsInput<State> = {
    ...handlerInput(incoming, context),
    scope,
    tasks,
    text: tasks.map(textOf).join(" "),
    dialect: context.dialect,
    own: publishable(context.settings.manifest, context.self),
  };
  return { incoming, input };
}

function publishEvents(recommendation: Recommendation | undefined, context: ReceiveContext): FloorEvent[] {
  if (recommendation === undefined) return [];
  const { said, ...manifests } = recommendation;
  const event = publishManifests({ to: senderAddress(context), ...manifests });
  return said === undefined ? [event] : [event, said];
}

/** Spec 1.17: the private utterance beside getManifests contains the task. It needs no answer of its own. */
export function isTask(event: FloorEvent, context: ReceiveContext): boolean {
  return isUtterance(event) && isPrivate(event) && addressedTo(event, context) === "me";
}

function tasksOf(context: ReceiveContext): DialogEvent[] {
  const tasks = context.envelope.events.filter((event) => isTask(event, context)).filter(isUtterance);
  return tasks.map(({ parameters }) => parameters.dialogEvent);
}

/** Spec 2.1, for a servicing agent. Undefined: no answer. */
function recommendSelf(
  { isAddressed, scope, text, own }: GetManifestsInput<unknown>,
  { settings, dialect }: ReceiveContext,
): Recommendation | undefined {
  if (scope === "external") return undefined;
  // An agent answers a task sent to everyone only if it matches. In 0.9 every agent proposes itself.
  if (!isAddressed && text !== "" && dialect !== "0.9" && !matchesKeyphrase(settings.manifest, text)) return undefined;
  // In 0.9 a manifest without a score is the answer to requestManifest.
  const mine: ScoredManifest = dialect === "0.9" && scope === "all" ? { ...own, score: 1 } : own;
  return { servicingManifests: [mine] };
}

/** Spec 1.17: getManifests for another speaker at our address. Without a handler the answer is an empty list. */
export async function answerForAnotherSpeaker<State>(
  event: GetManifestsEvent,
  context: HandlerContext<State>,
): Promise<FloorEvent[]> {
  const { serviceUrl } = event.to ?? {};
  if (serviceUrl === undefined || addressedTo({ ...event, to: { serviceUrl } }, context) !== "me") return [];
  const { onManifestsOfAnother } = context.handlers;
  const { incoming, input } = manifestsInput(event, context);
  const work = async () =>
    (await withTimeout(context, () => onManifestsOfAnother?.(input))) ?? { servicingManifests: [] };
  return publishEvents(await reportErrors(incoming, context, work), context);
}

function publishable({ identification, ...others }: AgentManifest, { serviceUrl }: Pick<Self, "serviceUrl">) {
  const { speakerUri, ...named } = identification;
  const manifest: Manifest = { ...others, identification: { speakerUri, ...named, serviceUrl } };
  return manifest;
}

function matchesKeyphrase({ capabilities }: AgentManifest, task: string): boolean {
  const words = wordsOf(task);
  return capabilities.some(({ keyphrases }) =>
    keyphrases.some((phrase) => phrase.trim() !== "" && words.includes(wordsOf(phrase))),
  );
}

function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ")} `;
}
