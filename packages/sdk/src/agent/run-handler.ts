import { type DraftStep, draftStepLimits, type Feature, type FloorEvent, readDraftStep } from "@plenary/protocol";
import { newDialogEventId, type Stage, type Step, spoken } from "./context.ts";
import { CutShort } from "./delivery-cache.ts";
import type { Answer, Handler, Streamed } from "./handlers.ts";

/** Of one streamed answer. */
const eventsMax = 100;

/** What a handler has to say, as events. A handler that fails says nothing and is reported. */
export async function run<Heard>(
  handler: Handler<Heard> | undefined,
  heard: Heard,
  step: Step,
  scene: Stage,
): Promise<FloorEvent[]> {
  return (await attempt(handler, heard, step, scene)) ?? [];
}

/** Undefined when the handler failed. */
export async function attempt<Heard>(
  handler: Handler<Heard> | undefined,
  heard: Heard,
  step: Step,
  scene: Stage,
): Promise<FloorEvent[] | undefined> {
  if (handler === undefined) return [];
  return guarded(step, scene, async () => eventsOf(await within(scene, () => handler(heard)), step, scene));
}

export async function guarded<Result>(
  { event }: Step,
  scene: Stage,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (scene.signal.reason instanceof CutShort) throw scene.signal.reason;
    scene.settings.onError(error, { event, conversation: scene.envelope.conversation });
    return undefined;
  }
}

/** Waits for the handler, but not for ever, and not once the floor wants silence. */
export async function within<Result>(scene: Stage, work: () => Result | Promise<Result>): Promise<Awaited<Result>> {
  const { replyTimeoutMs } = scene.settings;
  const timer = setTimeout(() => scene.stop(`no answer within ${replyTimeoutMs} ms`), replyTimeoutMs);
  try {
    return await Promise.race([work(), scene.stopped]);
  } finally {
    clearTimeout(timer);
  }
}

async function eventsOf(answer: Answer, { replyTo }: Step, scene: Stage): Promise<FloorEvent[]> {
  if (answer === undefined || answer === null) return [];
  if (typeof answer === "string") return answer === "" ? [] : [spoken(answer, replyTo, scene)];
  if (isStream(answer)) {
    const id = newDialogEventId();
    scene.drafts?.start({ dialogEventId: id, ...(replyTo && { to: replyTo }) });
    const { text, features, events } = await collect(answer, id, scene);
    return text === "" ? events : [spoken(text, replyTo, scene, { id, features }), ...events];
  }
  return "eventType" in answer ? [answer] : [...answer];
}

function isStream(answer: object): answer is AsyncIterable<Streamed> {
  return Symbol.asyncIterator in answer;
}

type Collected = { text: string; features: Record<string, Feature>; events: FloorEvent[]; stepChars: number };

async function collect(stream: AsyncIterable<Streamed>, id: string, scene: Stage): Promise<Collected> {
  const iterator = stream[Symbol.asyncIterator]();
  const collected: Collected = { text: "", features: {}, events: [], stepChars: 0 };
  try {
    for (;;) {
      const { done, value } = await within(scene, () => iterator.next());
      if (done === true) return collected;
      if (typeof value === "string") {
        collected.text += value;
        scene.drafts?.delta({ dialogEventId: id, delta: value });
      } else if ("step" in value) {
        const step = checkedStep(value.step);
        collected.stepChars += JSON.stringify(step).length;
        scene.drafts?.step({ dialogEventId: id, step });
      } else if ("eventType" in value) collected.events.push(value);
      else Object.assign(collected.features, value.features);
      const chars = collected.text.length + collected.stepChars;
      const isEndless = chars > scene.settings.bodyBytesMax || collected.events.length > eventsMax;
      if (isEndless) throw new Error("the streamed answer does not end");
    }
  } catch (error) {
    // Whatever feeds the stream should stop too, but nobody waits for it.
    iterator.return?.().catch(() => {});
    throw error;
  }
}

/** A step as a handler has yielded it. Throws what the developer has to change: a floor would cut it, or leave it out. */
export function checkedStep(given: unknown): DraftStep {
  const { step, fault } = readDraftStep(given);
  if (fault !== undefined) throw new TypeError(`step${fault.pointer}: ${fault.rule}; ${fault.fix}`);
  const lengths = { id: step.id, title: step.title, detail: step.detail ?? "" };
  for (const name of ["id", "title", "detail"] as const) {
    const [length, max] = [lengths[name].length, draftStepLimits[name]];
    if (length <= max) continue;
    throw new TypeError(`step/${name}: ${name} has at most ${max} characters, this one has ${length}; shorten it`);
  }
  return step;
}
