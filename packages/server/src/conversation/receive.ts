import {
  type Command,
  type Decision,
  type DeliverEffect,
  decide,
  type Entry,
  emptyFloor,
  type Floor,
  type Input,
} from "@plenary/floor";
import type { Dialect, Envelope } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import type { EndedOutcome } from "../ports/outbound.ts";
import { assertConversation, assertSpeaker, isOperator, mayHost, type Principal, viaOf } from "../ports/principal.ts";
import { commitInput, type PlannedChange, type ReceiveContext, unchanged } from "./commit.ts";
import { type DecodedEnvelope, decodeAnswer, decodeEnvelope, peersOf, senderIn } from "./decode.ts";
import { dedupeOf, earlierOf, type NamedRequest, namedRequest, resultingEntries } from "./dedupe.ts";
import { lookUp, unansweredQuestion } from "./facts.ts";
import { type DeliveryRef, failureInput } from "./failed-delivery.ts";
import { assertConversationId, ownerOfNew } from "./new-conversation.ts";
import { assertAccepted, inDocument, leftOutOf, type PartialRefusal, refusalsIn, refusalsOf } from "./receipt.ts";
import { receiveRedelivery } from "./redelivery-outcome.ts";
import { assertRecipient, deliveryOf, mayAnswer } from "./reply-authorization.ts";

/** The origin of an envelope. */
type InputSource = {
  principal: Principal;
  /** Earlier hops on other floors (D17). */
  depth?: number;
  floors?: readonly string[];
  /** The header of a later answer: it names the delivery (D22). */
  inReplyTo?: string;
  /** The idempotency key of the request. */
  requestKey?: string;
  /** The envelope answers a private utterance of this conversant, after its delivery was closed. */
  whisperer?: string;
  /** The caller's span, to which the floor's span is linked. */
  traceparent?: string;
};

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

/** Accepts inputs. Nothing else changes a conversation. */
export type Receiver = {
  envelope(text: string, from: InputSource): Promise<Receipt>;
  /** A delivery ended. Returns the written entries. */
  answer(conversationId: string, delivery: DeliveryRef, ended: EndedOutcome): Promise<readonly Entry[]>;
  /** A redelivered dead letter ended. */
  redelivered(conversationId: string, effect: DeliverEffect, ended: EndedOutcome): Promise<readonly Entry[]>;
  timer(conversationId: string, id: string): Promise<void>;
  command(conversationId: string, command: Command, of?: CommandOf): Promise<Receipt>;
};

/** The author of a command. The core checks the authority when the command takes effect. */
export type CommandBy = { by: "operator" } | { by: "owner" | "person"; speakerUri: string } | { by: "link" };

type CommandOf = { by: CommandBy; request?: NamedRequest };

export function createReceiver(context: ReceiveContext): Receiver {
  return {
    envelope: (text, from) => receiveEnvelope(context, text, from),
    answer: (conversationId, delivery, ended) => receiveAnswer(context, conversationId, delivery, ended),
    redelivered: async (conversationId, effect, ended) =>
      (await receiveRedelivery(context, conversationId, effect, ended)).entries,
    timer: (conversationId, id) => receiveTimer(context, conversationId, id),
    command: (conversationId, command, of) => receiveCommand(context, conversationId, command, of),
  };
}

async function receiveEnvelope(context: ReceiveContext, text: string, from: InputSource): Promise<Receipt> {
  const first = decodeFrom(text, from, context);
  const isPlain = first.dialect !== "0.9" && from.inReplyTo === undefined;
  const read = isPlain ? first : await decodeWithFloor(context, text, first, from);
  const { envelope, dialect } = read;
  const sender = envelope.sender.speakerUri;
  assertSpeaker(from.principal, sender);
  const conversationId = envelope.conversation.id;
  assertConversation(from.principal, conversationId);
  const delivery = deliveryOf(context, conversationId, from);
  const found = delivery === undefined ? undefined : context.redeliveries.find(conversationId, delivery);
  const redelivery = found !== undefined && mayAnswer(context, from, found.to.speakerUri, envelope) ? found : undefined;
  const committed: CommittedEnvelope =
    redelivery === undefined
      ? await commitEnvelope(context, text, read, { ...from, delivery })
      : await receiveRedelivery(context, conversationId, redelivery, { kind: "envelope", ...read });
  const { floor, entries, refused = refusalsOf(entries, envelope.events) } = committed;
  return { conversationId, floor, entries, refused: inDocument(refused, read.leftOut), sender, dialect };
}

/** A sender that the caller may not use is refused before any other problem of the envelope is reported. */
function decodeFrom(text: string, { principal }: InputSource, context: ReceiveContext): DecodedEnvelope {
  try {
    return decodeEnvelope(text, undefined, context);
  } catch (error) {
    const claimed = principal.speakers === "anyone" ? undefined : senderIn(text);
    if (claimed !== undefined) assertSpeaker(principal, claimed);
    throw error;
  }
}

type NamedSource = InputSource & { delivery: string | undefined };

async function commitEnvelope(
  context: ReceiveContext,
  text: string,
  read: DecodedEnvelope,
  from: NamedSource,
): Promise<CommittedEnvelope> {
  const { envelope, dialect, carried } = read;
  const leftOut = leftOutOf(read.leftOut);
  const { principal, depth, floors, delivery, requestKey, whisperer, traceparent } = from;
  const request = requestKey === undefined ? undefined : namedRequest(principal.id, requestKey, text);
  const kind = delivery === undefined ? "envelope" : "answer";
  let isRepeated = false;
  const origin = { conversationId: envelope.conversation.id, kind, delivery, traceparent } as const;
  const committed = await commitInput(context, origin, async (stored) => {
    // Inside the queue, so of two simultaneous repetitions the second finds the first.
    isRepeated = request !== undefined && (await earlierOf(context.lookups, request)) !== undefined;
    if (isRepeated) return { decision: unchanged(stored ?? emptyFloor(envelope.conversation.id)) };
    const opening = stored === undefined ? await openFor(context, read, from) : undefined;
    const floor = opening?.floor ?? stored ?? emptyFloor(envelope.conversation.id);
    if (delivery !== undefined) await assertRecipient(context, floor, from, envelope, delivery);
    const facts = await lookUp(context, floor, envelope, delivery);
    const common = {
      envelope,
      dialect,
      carried,
      facts,
      ...(leftOut.length > 0 && { leftOut }),
      ...(depth !== undefined && { depth }),
      ...(floors && { floors }),
    };
    const input: Input =
      delivery === undefined
        ? {
            kind: "envelope",
            ...common,
            ...viaOf(principal),
            ...(whisperer && { whisperer }),
          }
        : { kind: "answer", delivery, ...common };
    const at = timeOf(context.clock);
    const decision = decide(floor, input, at);
    assertAccepted(decision, read, principal);
    const settled = delivery === undefined ? [] : [delivery];
    return {
      decision: opening ? joined(opening, decision) : decision,
      ...dedupeOf(decision, envelope, facts),
      settled,
      ...(request && { request: { ...request, at } }),
    };
  });
  return request === undefined || !isRepeated ? committed : replay(context, envelope, request, committed);
}

type CommittedEnvelope = Pick<Receipt, "floor" | "entries"> & { refused?: Receipt["refused"] };

async function replay(
  { log, lookups }: ReceiveContext,
  { events }: Envelope,
  request: NamedRequest,
  { floor }: CommittedEnvelope,
) {
  // Read again: every earlier input is now durable or has failed.
  const earlier = await earlierOf(lookups, request);
  const entries = earlier && (await resultingEntries(log, earlier));
  if (entries === undefined) throw new Problem("unavailable", { detail: "the repeated request was not stored" });
  return { floor, entries, refused: refusalsIn(entries, events) };
}

async function receiveAnswer(context: ReceiveContext, conversationId: string, sent: DeliveryRef, ended: EndedOutcome) {
  const { delivery, turn } = sent;
  const plan = async (floor: Floor | undefined): Promise<PlannedChange> => {
    if (floor === undefined) throw new Problem("unknown-conversation");
    const now = timeOf(context.clock);
    const settled = [delivery];
    if (ended.kind === "failure") {
      const { failure, detail } = ended;
      const input = await failureInput(context.log, conversationId, sent, ended);
      const decision = decide(floor, input, now);
      return { decision, settled, dead: [{ delivery, failure, detail, at: now }] };
    }
    const { dialect, carried } = ended;
    const envelope = withinEventLimit(ended.envelope, context);
    const facts = await lookUp(context, floor, envelope, delivery);
    const leftOut = leftOutOf(ended.leftOut ?? []);
    const decision = decide(floor, { kind: "answer", delivery, turn, envelope, dialect, carried, facts, leftOut }, now);
    return { decision, ...dedupeOf(decision, envelope, facts), settled };
  };
  return (await commitInput(context, { conversationId, kind: "answer", delivery }, plan, { isAwaited: true })).entries;
}

/** Drops surplus events of an answer silently. */
function withinEventLimit(envelope: Envelope, { requestLimits: { eventsMax } }: ReceiveContext): Envelope {
  const { events } = envelope;
  return events.length <= eventsMax ? envelope : { ...envelope, events: events.slice(0, eventsMax) };
}

async function receiveTimer(context: ReceiveContext, conversationId: string, id: string): Promise<void> {
  const plan = async (floor: Floor | undefined): Promise<PlannedChange> => {
    if (floor === undefined) throw new Problem("unknown-conversation");
    const questionSeq = /^question:(\d+)$/u.exec(id)?.[1];
    const question =
      questionSeq === undefined ? undefined : await unansweredQuestion(context.log, floor, Number(questionSeq));
    const input = { kind: "timer", id, ...(question && { question }) } as const;
    return { decision: decide(floor, input, timeOf(context.clock)), rung: [id] };
  };
  await commitInput(context, { conversationId, kind: "timer" }, plan, { isAwaited: true });
}

async function receiveCommand(
  context: ReceiveContext,
  conversationId: string,
  command: Command,
  { by, request }: CommandOf = { by: { by: "operator" } },
): Promise<Receipt> {
  let isRepeated = false;
  const committed = await commitInput(context, { conversationId, kind: "command" }, async (floor) => {
    isRepeated = request !== undefined && (await earlierOf(context.lookups, request)) !== undefined;
    if (isRepeated) return { decision: unchanged(floor ?? emptyFloor(conversationId)) };
    if (floor === undefined && command.verb !== "open") throw new Problem("unknown-conversation");
    if (floor === undefined) assertConversationId(conversationId, "/id");
    const at = timeOf(context.clock);
    const decision = decide(floor ?? emptyFloor(conversationId), { kind: "command", command, ...by }, at);
    assertAccepted(decision);
    return { decision, ...(request && { request: { ...request, at } }) };
  });
  const floor = request !== undefined && isRepeated ? await floorAfter(context, request) : committed.floor;
  return { conversationId, ...committed, floor, refused: [], sender: context.self().speakerUri, dialect: "1.1" };
}

/** The floor after the first execution of the command. */
async function floorAfter({ log, lookups }: ReceiveContext, request: NamedRequest): Promise<Floor> {
  const earlier = await earlierOf(lookups, request);
  const floor = earlier && (await log.floorAt(earlier.conversationId, earlier.last));
  if (floor !== undefined) return floor;
  throw new Problem("unavailable", { detail: "the repeated request was not stored" });
}

/** Decoding a 0.9 envelope or an answer needs the conversants of the floor. */
async function decodeWithFloor(
  context: ReceiveContext,
  text: string,
  first: DecodedEnvelope,
  { inReplyTo }: InputSource,
): Promise<DecodedEnvelope> {
  const floor = await context.log.load(first.envelope.conversation.id);
  if (inReplyTo === undefined) return decodeEnvelope(text, floor, context);
  return decodeAnswer(text, peersOf(floor), context) ?? first;
}

/** D26: an envelope for an unknown conversation creates it if its sender is a person who may host. */
async function openFor(
  context: ReceiveContext,
  { envelope, dialect }: DecodedEnvelope,
  { principal, inReplyTo }: InputSource,
): Promise<Decision> {
  if (!mayHost(principal) || principal.kind === "agent" || inReplyTo !== undefined)
    throw new Problem("unknown-conversation");
  assertConversationId(envelope.conversation.id, `/${dialect === "0.9" ? "ovon" : "openFloor"}/conversation/id`);
  await context.admitOpening(principal);
  const owner = ownerOfNew(envelope, context.self());
  const command: Command = { verb: "open", self: context.self(), owner, options: context.floorOptions };
  const { speakerUri } = owner;
  const by: CommandBy = isOperator(principal) ? { by: "operator" } : { by: "owner", speakerUri };
  return decide(emptyFloor(envelope.conversation.id), { kind: "command", command, ...by }, timeOf(context.clock));
}

function joined(first: Decision, second: Decision): Decision {
  const { floor, refusals } = second;
  const entries = [...first.entries, ...second.entries];
  return { floor, entries, effects: [...first.effects, ...second.effects], refusals };
}
