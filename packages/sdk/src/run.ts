import type { FloorEvent } from "@plenary/protocol";
import { CutShort } from "./deliveries.ts";
import type { Answer, Handler } from "./handler.ts";
import { newDialogEventId, type Stage, type Step, spoken } from "./scene.ts";

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
    const text = await collect(answer, id, scene);
    return text === "" ? [] : [spoken(text, replyTo, scene, id)];
  }
  return "eventType" in answer ? [answer] : [...answer];
}

function isStream(answer: object): answer is AsyncIterable<string> {
  return Symbol.asyncIterator in answer;
}

async function collect(stream: AsyncIterable<string>, id: string, scene: Stage): Promise<string> {
  const iterator = stream[Symbol.asyncIterator]();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await within(scene, () => iterator.next());
      if (done === true) return text;
      text += value;
      if (text.length > scene.settings.bodyBytesMax) throw new Error("the streamed answer does not end");
      scene.drafts?.delta({ dialogEventId: id, delta: value });
    }
  } catch (error) {
    // Whatever feeds the stream should stop too, but nobody waits for it.
    iterator.return?.().catch(() => {});
    throw error;
  }
}
