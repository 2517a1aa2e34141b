import { type Command, type DeliverEffect, type Entry, emptyFloor, type Floor } from "@plenary/floor";
import type { Dialect } from "@plenary/protocol";
import { Problem, problemDocument } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import type { RequestRecord } from "../ports/lookups.ts";
import type { EndedOutcome } from "../ports/outbound.ts";
import { assertConversation, assertSpeaker } from "../ports/principal.ts";
import type { CommandBy, EnvelopeRequest, ReceiveContext } from "./context.ts";
import { type DecodedEnvelope, decodeAnswer, decodeEnvelope, peersOf, senderIn } from "./decode.ts";
import { earlierOf, type NamedRequest, namedRequest, resultingEntries } from "./dedupe.ts";
import type { DeliveryRef } from "./failed-delivery.ts";
import { answerPlan, commandPlan, envelopePlan, type InputPlan, redeliveryPlan, timerPlan } from "./input-plans.ts";
import { changeOf, type PlannedChange, withDialects } from "./planned-change.ts";
import { inDocument, type PartialRefusal, refusalsIn, refusalsOf } from "./receipt.ts";
import { deliveryOf, mayAnswer } from "./reply-authorization.ts";

/** The durable result of an input. */
export type Receipt = {
  conversationId: string;
  floor: Floor;
  /** Empty when the input only repeated earlier ones. */
  entries: readonly Entry[];
  refused: readonly PartialRefusal[];
  sender: string;
  dialect: Dialect;
};

/** An envelope from outside. */
async function receiveEnvelope(context: ReceiveContext, request: EnvelopeRequest): Promise<Receipt> {
  const { metrics } = context;
  try {
    const first = decodeRequest(context, request);
    const isPlain = first.dialect !== "0.9" && request.inReplyTo === undefined;
    const read = isPlain ? first : await decodeWithFloor(context, request, first);
    const { envelope, dialect } = read;
    const [conversationId, sender] = [envelope.conversation.id, envelope.sender.speakerUri];
    assertSpeaker(request.principal, sender);
    assertConversation(request.principal, conversationId);
    const delivery = deliveryOf(context, conversationId, request);
    const redelivery = redeliveryOf(context, request, read, delivery);
    const { floor, entries, earlier } =
      redelivery === undefined
        ? await receive(context, envelopePlan(context, request, read, delivery), requestOf(context, request))
        : await receiveRedelivery(context, conversationId, redelivery, { kind: "envelope", ...read });
    const events = envelope.events;
    const refused = earlier === undefined ? refusalsOf(entries, events) : refusalsIn(entries, events);
    metrics.envelope(200);
    return { conversationId, floor, entries, refused: inDocument(refused, read.leftOut), sender, dialect };
  } catch (error) {
    countRefusal(context, error);
    metrics.envelope(problemDocument(error).status);
    throw error;
  }
}

type Received = {
  floor: Floor;
  entries: readonly Entry[];
  /** Set when the request was received before: the entries are those of the first time. */
  earlier?: RequestRecord;
};

/**
 * Processes any input, one at a time per conversation: looks up the facts, decides, appends, and starts the effects when
 * the decision is durable. After a conflict with another writer it starts again.
 */
async function receive<Known>(
  context: ReceiveContext,
  input: InputPlan<Known>,
  request?: NamedRequest & { at: string },
): Promise<Received> {
  const { log, lookups, metrics, queue } = context;
  const { conversationId } = input.origin;
  const place = queue.enter(conversationId, input);
  try {
    for (;;) {
      // Nothing that is at hand is awaited.
      const turn = place.turn();
      if (turn !== undefined) await turn;
      const begunAtS = metrics.now();
      const loading = log.load(conversationId);
      const stored = loading instanceof Promise ? await loading : loading;
      // Inside the queue, so of two simultaneous repetitions the second finds the first.
      const earlier = request && (await earlierOf(lookups, request));
      if (request !== undefined && earlier !== undefined) {
        if ((await place.write(undefined)) === "conflict") continue;
        return await replay(context, request, stored ?? emptyFloor(conversationId));
      }
      const looking = input.lookUp(stored);
      const known = looking instanceof Promise ? await looking : looking;
      const planned = withDialects(input.decide(stored, known), context.dialectOf);
      const change = changeOf(request === undefined ? planned : { ...planned, request });
      const expectedSeq = stored?.seq ?? 0;
      const outcome = await place.write(change && (() => log.append(conversationId, change, expectedSeq)));
      if (outcome === "conflict") continue;
      perform(context, input, planned, stored, begunAtS);
      return planned.decision;
    }
  } finally {
    place.leave();
  }
}

/** The decision is durable: readers see it, and its effects start. */
function perform(
  context: ReceiveContext,
  { origin }: InputPlan<unknown>,
  { decision, dead }: PlannedChange,
  before: Floor | undefined,
  begunAtS: number,
): void {
  const { metrics, notifier } = context;
  const { floor, entries, effects } = decision;
  const { conversationId } = origin;
  metrics.decided(metrics.now() - begunAtS);
  if (dead !== undefined) metrics.died(dead.length);
  context.onDecided?.(origin, { entries, begunAtS });
  if (effects.length > 0) context.perform(conversationId, effects);
  if (entries.length === 0) return;
  notifier.wake(conversationId, { before: before ?? emptyFloor(conversationId), entries, floor });
  context.onWritten?.(floor, entries);
}

async function replay({ log, lookups }: ReceiveContext, request: NamedRequest, floor: Floor): Promise<Received> {
  // Read again: every earlier input is now durable or has failed.
  const earlier = await earlierOf(lookups, request);
  const entries = earlier && (await resultingEntries(log, earlier));
  if (earlier === undefined || entries === undefined) {
    throw new Problem("unavailable", { detail: "the repeated request was not stored" });
  }
  return { floor, entries, earlier };
}

/** A delivery ended. Returns the written entries. */
async function receiveAnswer(
  context: ReceiveContext,
  conversationId: string,
  delivery: DeliveryRef,
  ended: EndedOutcome,
): Promise<readonly Entry[]> {
  return (await receive(context, answerPlan(context, conversationId, delivery, ended))).entries;
}

/** A redelivered dead letter ended. */
async function receiveRedelivery(
  context: ReceiveContext,
  conversationId: string,
  effect: DeliverEffect,
  ended: EndedOutcome,
): Promise<Received> {
  const received = await receive(context, redeliveryPlan(context, conversationId, effect, ended));
  context.redeliveries.end(conversationId, effect.delivery);
  return received;
}

async function receiveTimer(context: ReceiveContext, conversationId: string, id: string): Promise<void> {
  await receive(context, timerPlan(context, conversationId, id));
}

type CommandOf = { by: CommandBy; request?: NamedRequest };

async function receiveCommand(
  context: ReceiveContext,
  conversationId: string,
  command: Command,
  { by, request }: CommandOf = { by: { by: "operator" } },
): Promise<Receipt> {
  try {
    const { entries, earlier, ...received } = await receive(
      context,
      commandPlan(context, conversationId, command, by),
      request && { ...request, at: timeOf(context.clock) },
    );
    // A repetition gets the floor after the first execution of the command.
    const floor = earlier === undefined ? received.floor : await context.log.floorAt(conversationId, earlier.last);
    if (floor === undefined) throw new Problem("unavailable", { detail: "the repeated request was not stored" });
    const sender = context.self.speakerUri;
    return {
      conversationId,
      floor,
      entries: earlier === undefined ? entries : [],
      refused: [],
      sender,
      dialect: "1.1",
    };
  } catch (error) {
    countRefusal(context, error);
    throw error;
  }
}

function countRefusal({ metrics }: ReceiveContext, error: unknown): void {
  if (!(error instanceof Problem)) return;
  if (error.code === "busy" || error.code === "overloaded") metrics.turnedAway(error.code);
}

function requestOf({ clock }: ReceiveContext, { requestKey, principal, document }: EnvelopeRequest) {
  if (requestKey === undefined) return undefined;
  return { ...namedRequest(principal.id, requestKey, document.text), at: timeOf(clock) };
}

/** A sender that the caller may not use is refused before any other problem of the envelope is reported. */
function decodeRequest(context: ReceiveContext, { document, principal }: EnvelopeRequest): DecodedEnvelope {
  try {
    return decodeEnvelope(document, undefined, context);
  } catch (error) {
    const claimed = principal.speakers === "anyone" ? undefined : senderIn(document);
    if (claimed !== undefined) assertSpeaker(principal, claimed);
    throw error;
  }
}

/** Decoding a 0.9 envelope or an answer needs the conversants of the floor. */
async function decodeWithFloor(
  context: ReceiveContext,
  { document, inReplyTo }: EnvelopeRequest,
  first: DecodedEnvelope,
): Promise<DecodedEnvelope> {
  const floor = await context.log.load(first.envelope.conversation.id);
  if (inReplyTo === undefined) return decodeEnvelope(document, floor, context);
  return decodeAnswer(document, peersOf(floor), context) ?? first;
}

/** The redelivered dead letter that this envelope answers. */
function redeliveryOf(
  context: ReceiveContext,
  request: EnvelopeRequest,
  { envelope }: DecodedEnvelope,
  delivery: string | undefined,
): DeliverEffect | undefined {
  const found = delivery === undefined ? undefined : context.redeliveries.find(envelope.conversation.id, delivery);
  return found !== undefined && mayAnswer(context, request, found.to.speakerUri, envelope) ? found : undefined;
}

/** Accepts inputs. Nothing else changes a conversation. */
export type Receiver = {
  envelope(request: EnvelopeRequest): Promise<Receipt>;
  answer(conversationId: string, delivery: DeliveryRef, ended: EndedOutcome): Promise<readonly Entry[]>;
  redelivered(conversationId: string, effect: DeliverEffect, ended: EndedOutcome): Promise<readonly Entry[]>;
  timer(conversationId: string, id: string): Promise<void>;
  command(conversationId: string, command: Command, of?: CommandOf): Promise<Receipt>;
};

export function createReceiver(context: ReceiveContext): Receiver {
  return {
    envelope: (request) => receiveEnvelope(context, request),
    answer: (conversationId, delivery, ended) => receiveAnswer(context, conversationId, delivery, ended),
    redelivered: async (conversationId, effect, ended) =>
      (await receiveRedelivery(context, conversationId, effect, ended)).entries,
    timer: (conversationId, id) => receiveTimer(context, conversationId, id),
    command: (conversationId, command, of) => receiveCommand(context, conversationId, command, of),
  };
}
