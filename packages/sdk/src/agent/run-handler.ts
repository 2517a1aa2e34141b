import { type DraftStep, draftStepLimits, type Feature, type FloorEvent, readDraftStep } from "@plenary/protocol";
import { type IncomingEvent, newDialogEventId, ownUtterance, type ReceiveContext } from "./context.ts";
import { CallersGone } from "./delivery-cache.ts";
import type { Answer, Handler, StreamPart } from "./handlers.ts";

/** Per streamed answer. */
const eventsMax = 100;

/** The answer of a handler, as events. A failure is reported and gives no events. */
export async function runHandler<Heard>(
  handler: Handler<Heard> | undefined,
  input: Heard,
  incoming: IncomingEvent,
  context: ReceiveContext,
): Promise<FloorEvent[]> {
  return (await tryHandler(handler, input, incoming, context)) ?? [];
}

/** The same, but undefined when the handler failed. */
export async function tryHandler<Heard>(
  handler: Handler<Heard> | undefined,
  input: Heard,
  incoming: IncomingEvent,
  context: ReceiveContext,
): Promise<FloorEvent[] | undefined> {
  if (handler === undefined) return [];
  return reportErrors(incoming, context, async () =>
    eventsOf(await withTimeout(context, () => handler(input)), incoming, context),
  );
}

export async function reportErrors<Result>(
  { event }: IncomingEvent,
  context: ReceiveContext,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (context.signal.reason instanceof CallersGone) throw context.signal.reason;
    context.settings.onError(error, { event, conversation: context.envelope.conversation });
    return undefined;
  }
}

/** Waits for the handler until the timeout, or until the answer is stopped. */
export async function withTimeout<Result>(
  context: ReceiveContext,
  work: () => Result | Promise<Result>,
): Promise<Awaited<Result>> {
  const { replyTimeoutMs } = context.settings;
  const timer = setTimeout(() => context.stop(`no answer within ${replyTimeoutMs} ms`), replyTimeoutMs);
  try {
    return await Promise.race([work(), context.stopped]);
  } finally {
    clearTimeout(timer);
  }
}

async function eventsOf(answer: Answer, { replyTo }: IncomingEvent, context: ReceiveContext): Promise<FloorEvent[]> {
  if (answer === undefined || answer === null) return [];
  if (typeof answer === "string") return answer === "" ? [] : [ownUtterance(answer, replyTo, context)];
  if (isStream(answer)) {
    const id = newDialogEventId();
    context.drafts?.start({ dialogEventId: id, ...(replyTo && { to: replyTo }) });
    const { text, features, events } = await collect(answer, id, context);
    return text === "" ? events : [ownUtterance(text, replyTo, context, { id, features }), ...events];
  }
  return "eventType" in answer ? [answer] : [...answer];
}

function isStream(answer: object): answer is AsyncIterable<StreamPart> {
  return Symbol.asyncIterator in answer;
}

type CollectedAnswer = { text: string; features: Record<string, Feature>; events: FloorEvent[]; stepChars: number };

async function collect(
  stream: AsyncIterable<StreamPart>,
  id: string,
  context: ReceiveContext,
): Promise<CollectedAnswer> {
  const iterator = stream[Symbol.asyncIterator]();
  const collected: CollectedAnswer = { text: "", features: {}, events: [], stepChars: 0 };
  try {
    for (;;) {
      const { done, value } = await withTimeout(context, () => iterator.next());
      if (done === true) return collected;
      if (typeof value === "string") {
        collected.text += value;
        context.drafts?.delta({ dialogEventId: id, delta: value });
      } else if ("step" in value) {
        const step = checkedStep(value.step);
        collected.stepChars += JSON.stringify(step).length;
        context.drafts?.step({ dialogEventId: id, step });
      } else if ("eventType" in value) collected.events.push(value);
      else Object.assign(collected.features, value.features);
      const chars = collected.text.length + collected.stepChars;
      const isEndless = chars > context.settings.bodyBytesMax || collected.events.length > eventsMax;
      if (isEndless) throw new Error("the streamed answer is too large");
    }
  } catch (error) {
    // The source of the stream should stop too; its end is not awaited.
    iterator.return?.().catch(() => {});
    throw error;
  }
}

/** Validates a step that a handler yielded. Throws, because a floor would shorten or drop an invalid step. */
function checkedStep(given: unknown): DraftStep {
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
