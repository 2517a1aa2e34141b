import {
  type Command,
  type Decision,
  type DeliverEffect,
  decide,
  type Entry,
  emptyFloor,
  type Floor,
  type Input,
  seatNamed,
} from "@plenary/floor";
import type { Dialect, Envelope } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import type { Outcome } from "../ports/outbound.ts";
import { assertConversation, assertSpeaker, isOperator, mayHost, type Principal, viaOf } from "../ports/principal.ts";
import { assertConversationId } from "./assert-id.ts";
import { dedupeOf, type Plan, type Shell, takeTurn, unchanged } from "./commit.ts";
import { decodeAnswer, decodeAtDoor, peersOf, type Read, senderIn } from "./decode.ts";
import { lookUp } from "./facts.ts";
import { failureInput } from "./failed-delivery.ts";
import { broughtAbout, earlierOf, type NamedRequest, namedRequest } from "./idempotency.ts";
import { unansweredQuestion } from "./lapsed-question.ts";
import { ownerOfNew } from "./new-owner.ts";
import { inDocument, leftOutOf, type PartialRefusal, placeInDocument, refusalsIn, refusalsOf } from "./receipt.ts";
import { receiveRevived } from "./receive-redelivery.ts";
import { assertRecipient, deliveryOf, mayAnswer } from "./reply-authorization.ts";

/** Where an envelope came from. */
type From = {
  principal: Principal;
  /** Hops behind it on other floors (D17). */
  depth?: number;
  floors?: readonly string[];
  /** The header of an agent that answers on its own time: it names the delivery (D22). */
  inReplyTo?: string;
  /** How the caller names this request, so that it can repeat it without a second effect. */
  requestKey?: string;
  /** It answers a private utterance of this conversant, though nobody waits for that any longer. */
  whisperer?: string;
  /** The caller's own span: ours is linked to it. */
  traceparent?: string;
};

/** What became of an input. All of it is durable. */
export type Receipt = {
  conversationId: string;
  floor: Floor;
  /** Empty when everything was known already. */
  entries: readonly Entry[];
  refused: readonly PartialRefusal[];
  sender: string;
  dialect: Dialect;
};

/** How inputs enter. There is no other way to change a conversation. */
export type Receiver = {
  envelope(text: string, from: From): Promise<Receipt>;
  /** A delivery came to its end. Returns what was written. */
  answer(conversationId: string, delivery: DeliveryRef, ended: Ended): Promise<readonly Entry[]>;
  /** A delivery that was sent again after it had been given up came to its end. */
  revived(conversationId: string, effect: DeliverEffect, ended: Ended): Promise<readonly Entry[]>;
  timer(conversationId: string, id: string): Promise<void>;
  command(conversationId: string, command: Command, of?: CommandOf): Promise<Receipt>;
};

/** Whose command it is. Whether that is so when it takes effect is for the floor to say. */
export type CommandBy = { by: "operator" } | { by: "owner" | "person"; speakerUri: string } | { by: "link" };

type CommandOf = { by: CommandBy; request?: NamedRequest };

/** The turn is known even when the floor has forgotten the delivery. */
type DeliveryRef = Pick<DeliverEffect, "delivery" | "turn" | "events" | "to">;

type Ended = Extract<Outcome, { kind: "envelope" | "failure" }>;

export function createReceiver(shell: Shell): Receiver {
  return {
    envelope: (text, from) => receiveEnvelope(shell, text, from),
    answer: (conversationId, delivery, ended) => receiveAnswer(shell, conversationId, delivery, ended),
    revived: async (conversationId, effect, ended) =>
      (await receiveRevived(shell, conversationId, effect, ended)).entries,
    timer: (conversationId, id) => receiveTimer(shell, conversationId, id),
    command: (conversationId, command, of) => receiveCommand(shell, conversationId, command, of),
  };
}

async function receiveEnvelope(shell: Shell, text: string, from: From): Promise<Receipt> {
  const first = readFrom(text, from, shell);
  const isPlain = first.dialect !== "0.9" && from.inReplyTo === undefined;
  const read = isPlain ? first : await decodeKnowing(shell, text, first, from);
  const { envelope, dialect } = read;
  const sender = envelope.sender.speakerUri;
  assertSpeaker(from.principal, sender);
  const conversationId = envelope.conversation.id;
  assertConversation(from.principal, conversationId);
  const delivery = deliveryOf(shell, conversationId, from);
  const found = delivery === undefined ? undefined : shell.revived.find(conversationId, delivery);
  const revived = found !== undefined && mayAnswer(shell, from, found.to.speakerUri, envelope) ? found : undefined;
  const taken: Taken =
    revived === undefined
      ? await takeEnvelope(shell, text, read, { ...from, delivery })
      : await receiveRevived(shell, conversationId, revived, { kind: "envelope", ...read });
  const { floor, entries, refused = refusalsOf(entries, envelope.events) } = taken;
  return { conversationId, floor, entries, refused: inDocument(refused, read.leftOut), sender, dialect };
}

/** A sender that is not the caller's is refused before anything else is said of the envelope. */
function readFrom(text: string, { principal }: From, shell: Shell): Read {
  try {
    return decodeAtDoor(text, undefined, shell);
  } catch (error) {
    const claimed = principal.speakers === "anyone" ? undefined : senderIn(text);
    if (claimed !== undefined) assertSpeaker(principal, claimed);
    throw error;
  }
}

type Named = From & { delivery: string | undefined };

async function takeEnvelope(shell: Shell, text: string, read: Read, from: Named): Promise<Taken> {
  const { envelope, dialect, carried } = read;
  const leftOut = leftOutOf(read.leftOut);
  const { principal, depth, floors, delivery, requestKey, whisperer, traceparent } = from;
  const request = requestKey === undefined ? undefined : namedRequest(principal.id, requestKey, text);
  const kind = delivery === undefined ? "envelope" : "answer";
  let isRepeated = false;
  const origin = { conversationId: envelope.conversation.id, kind, delivery, traceparent } as const;
  const taken = await takeTurn(shell, origin, async (stored) => {
    // Within the turn: of two that repeat each other at the same time, the second finds the first.
    isRepeated = request !== undefined && (await earlierOf(shell.store, request)) !== undefined;
    if (isRepeated) return { decision: unchanged(stored ?? emptyFloor(envelope.conversation.id)) };
    const opening = stored === undefined ? await openFor(shell, read, from) : undefined;
    const floor = opening?.floor ?? stored ?? emptyFloor(envelope.conversation.id);
    if (delivery !== undefined) await assertRecipient(shell, floor, from, envelope, delivery);
    const facts = await lookUp(shell, floor, envelope, delivery);
    const about = {
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
            ...about,
            ...viaOf(principal),
            ...(whisperer && { whisperer }),
          }
        : { kind: "answer", delivery, ...about };
    const at = timeOf(shell.clock);
    const decision = decide(floor, input, at);
    assertTaken(decision, read, principal);
    const settled = delivery === undefined ? [] : [delivery];
    return {
      decision: opening ? after(opening, decision) : decision,
      ...dedupeOf(decision, envelope, facts),
      settled,
      ...(request && { request: { ...request, at } }),
    };
  });
  return request === undefined || !isRepeated ? taken : replay(shell, envelope, request, taken);
}

type Taken = Pick<Receipt, "floor" | "entries"> & { refused?: Receipt["refused"] };

async function replay(shell: Shell, { events }: Envelope, request: NamedRequest, { floor }: Taken): Promise<Taken> {
  // Asked anew: all that came before is durable now, or was taken back.
  const earlier = await earlierOf(shell.store, request);
  const entries = earlier && (await broughtAbout(shell.store, earlier));
  if (entries === undefined)
    throw new Problem("unavailable", { detail: "the request it repeats was not written down" });
  return { floor, entries, refused: refusalsIn(entries, events) };
}

async function receiveAnswer(shell: Shell, conversationId: string, sent: DeliveryRef, ended: Ended) {
  const { delivery, turn } = sent;
  const plan = async (floor: Floor | undefined): Promise<Plan> => {
    if (floor === undefined) throw new Problem("unknown-conversation");
    const now = timeOf(shell.clock);
    const settled = [delivery];
    if (ended.kind === "failure") {
      const { failure, detail } = ended;
      const input = await failureInput(shell.store, conversationId, sent, ended);
      const decision = decide(floor, input, now);
      return { decision, settled, dead: [{ delivery, failure, detail, at: now }] };
    }
    const { dialect, carried } = ended;
    const envelope = withFewEvents(ended.envelope, shell);
    const facts = await lookUp(shell, floor, envelope, delivery);
    const leftOut = leftOutOf(ended.leftOut ?? []);
    const decision = decide(floor, { kind: "answer", delivery, turn, envelope, dialect, carried, facts, leftOut }, now);
    return { decision, ...dedupeOf(decision, envelope, facts), settled };
  };
  return (await takeTurn(shell, { conversationId, kind: "answer", delivery }, plan, { isAwaited: true })).entries;
}

/** Nobody is told that an answer was too long: what goes beyond is not heard. */
function withFewEvents(envelope: Envelope, { doorLimits: { eventsMax } }: Shell): Envelope {
  const { events } = envelope;
  return events.length <= eventsMax ? envelope : { ...envelope, events: events.slice(0, eventsMax) };
}

async function receiveTimer(shell: Shell, conversationId: string, id: string): Promise<void> {
  const plan = async (floor: Floor | undefined): Promise<Plan> => {
    if (floor === undefined) throw new Problem("unknown-conversation");
    const asked = /^question:(\d+)$/u.exec(id)?.[1];
    const question = asked === undefined ? undefined : await unansweredQuestion(shell.store, floor, Number(asked));
    const input = { kind: "timer", id, ...(question && { question }) } as const;
    return { decision: decide(floor, input, timeOf(shell.clock)), rung: [id] };
  };
  await takeTurn(shell, { conversationId, kind: "timer" }, plan, { isAwaited: true });
}

async function receiveCommand(
  shell: Shell,
  conversationId: string,
  command: Command,
  { by, request }: CommandOf = { by: { by: "operator" } },
): Promise<Receipt> {
  let isRepeated = false;
  const taken = await takeTurn(shell, { conversationId, kind: "command" }, async (floor) => {
    isRepeated = request !== undefined && (await earlierOf(shell.store, request)) !== undefined;
    if (isRepeated) return { decision: unchanged(floor ?? emptyFloor(conversationId)) };
    if (floor === undefined && command.verb !== "open") throw new Problem("unknown-conversation");
    if (floor === undefined) assertConversationId(conversationId, "/id");
    const at = timeOf(shell.clock);
    const decision = decide(floor ?? emptyFloor(conversationId), { kind: "command", command, ...by }, at);
    assertTaken(decision);
    return { decision, ...(request && { request: { ...request, at } }) };
  });
  const floor = request !== undefined && isRepeated ? await floorThen(shell, request) : taken.floor;
  return { conversationId, ...taken, floor, refused: [], sender: shell.self().speakerUri, dialect: "1.1" };
}

/** The floor as the command left it when it was first given. */
async function floorThen({ store }: Shell, request: NamedRequest): Promise<Floor> {
  const earlier = await earlierOf(store, request);
  const floor = earlier && (await store.floorAt(earlier.conversationId, earlier.last));
  if (floor !== undefined) return floor;
  throw new Problem("unavailable", { detail: "the request it repeats was not written down" });
}

/** 0.9, and an answer, are read by what is known of those at the floor. */
async function decodeKnowing(shell: Shell, text: string, first: Read, { inReplyTo }: From): Promise<Read> {
  const floor = await shell.store.load(first.envelope.conversation.id);
  if (inReplyTo === undefined) return decodeAtDoor(text, floor, shell);
  return decodeAnswer(text, peersOf(floor), shell) ?? first;
}

/** D26: an envelope for a conversation nobody knows creates it, for people who may host; an agent asks for it by name. */
async function openFor(shell: Shell, { envelope, dialect }: Read, { principal, inReplyTo }: From): Promise<Decision> {
  if (!mayHost(principal) || principal.kind === "agent" || inReplyTo !== undefined)
    throw new Problem("unknown-conversation");
  assertConversationId(envelope.conversation.id, `/${dialect === "0.9" ? "ovon" : "openFloor"}/conversation/id`);
  await shell.admitOpening(principal);
  const owner = ownerOfNew(envelope, shell.self());
  const command: Command = { verb: "open", self: shell.self(), owner, options: shell.floorOptions };
  const { speakerUri } = owner;
  const by: CommandBy = isOperator(principal) ? { by: "operator" } : { by: "owner", speakerUri };
  return decide(emptyFloor(envelope.conversation.id), { kind: "command", command, ...by }, timeOf(shell.clock));
}

function after(first: Decision, then: Decision): Decision {
  const { floor, refusals } = then;
  const entries = [...first.entries, ...then.entries];
  return { floor, entries, effects: [...first.effects, ...then.effects], refusals };
}

/** Refused as a whole: nothing was applied, and the caller hears why. */
function assertTaken({ entries, refusals, floor }: Decision, read?: Read, principal?: Principal): void {
  const envelope = read?.envelope;
  const [refusal] = refusals;
  if (entries.length > 0 || refusal === undefined) return;
  const { because, status, problem, index } = refusal;
  // Who is not in a conversation need not know that there is one.
  const isEnded = because === "ending/closed" && envelope !== undefined && !isSeated(floor, envelope);
  const isOutside = (because === "guard/not-seated" || isEnded) && principal !== undefined && !isOperator(principal);
  if (isOutside || because === "command/unopened") throw new Problem("unknown-conversation");
  const place = index === undefined || read === undefined ? undefined : placeInDocument(index, read.leftOut);
  const pointer = place === undefined ? undefined : `/openFloor/events/${place}`;
  throw new Problem("refused", { status, detail: problem, ...(pointer && { pointer }), extra: { because } });
}

function isSeated(floor: Floor, { sender }: Envelope): boolean {
  return seatNamed(floor, sender.speakerUri) !== undefined;
}
