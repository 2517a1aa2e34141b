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
import { assertSpeaker, callerOf, mayHost, type Principal } from "./admit.ts";
import { decodeAnswer, decodeAtDoor, peersOf, type Read, timeOf } from "./decode.ts";
import { Problem } from "./errors.ts";
import { lookUp } from "./facts.ts";
import { deliveryIn, isWebhookId } from "./outbound/write-letter.ts";
import { ownerOfNew } from "./owner.ts";
import type { Outcome } from "./ports.ts";
import { type PartialRefusal, refusalsIn, refusalsOf } from "./receipt.ts";
import { receiveRevived } from "./receive-revived.ts";
import { broughtAbout, earlierOf, type NamedRequest, namedRequest } from "./request.ts";
import { dedupeOf, type Plan, type Shell, takeTurn, unchanged } from "./take-turn.ts";

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
  command(conversationId: string, command: Command): Promise<Receipt>;
};

/** The turn is known even when the floor has forgotten the delivery. */
type DeliveryRef = Pick<DeliverEffect, "delivery" | "turn">;

type Ended = Extract<Outcome, { kind: "envelope" | "failure" }>;

export function createReceiver(shell: Shell): Receiver {
  return {
    envelope: (text, from) => receiveEnvelope(shell, text, from),
    answer: (conversationId, delivery, ended) => receiveAnswer(shell, conversationId, delivery, ended),
    revived: async (conversationId, effect, ended) =>
      (await receiveRevived(shell, conversationId, effect, ended)).entries,
    timer: (conversationId, id) => receiveTimer(shell, conversationId, id),
    command: (conversationId, command) => receiveCommand(shell, conversationId, command),
  };
}

async function receiveEnvelope(shell: Shell, text: string, from: From): Promise<Receipt> {
  const first = decodeAtDoor(text, undefined, shell);
  const isPlain = first.dialect !== "0.9" && from.inReplyTo === undefined;
  const read = isPlain ? first : await decodeKnowing(shell, text, first, from);
  const { envelope, dialect } = read;
  const sender = envelope.sender.speakerUri;
  assertSpeaker(from.principal, sender);
  const conversationId = envelope.conversation.id;
  const delivery = deliveryOf(shell, conversationId, from);
  const revived = delivery === undefined ? undefined : shell.revived.find(conversationId, delivery);
  const taken =
    revived === undefined
      ? await takeEnvelope(shell, text, read, { ...from, delivery })
      : await receiveRevived(shell, conversationId, revived, { kind: "envelope", ...read });
  return { conversationId, refused: refusalsOf(taken.entries, envelope.events), ...taken, sender, dialect };
}

type Named = From & { delivery: string | undefined };

async function takeEnvelope(shell: Shell, text: string, read: Read, from: Named): Promise<Taken> {
  const { envelope, dialect, carried } = read;
  const { principal, depth, floors, delivery, inReplyTo, requestKey } = from;
  const request = requestKey === undefined ? undefined : namedRequest(callerOf(principal, inReplyTo), requestKey, text);
  let isRepeated = false;
  const taken = await takeTurn(shell, envelope.conversation.id, async (stored) => {
    // Within the turn: of two that repeat each other at the same time, the second finds the first.
    isRepeated = request !== undefined && (await earlierOf(shell.store, request)) !== undefined;
    if (isRepeated) return { decision: unchanged(stored ?? emptyFloor(envelope.conversation.id)) };
    const opening = stored === undefined ? openFor(shell, envelope, from) : undefined;
    const floor = opening?.floor ?? stored ?? emptyFloor(envelope.conversation.id);
    const facts = await lookUp(shell.store, floor, envelope);
    const about = {
      envelope,
      dialect,
      carried,
      facts,
      ...(depth !== undefined && { depth }),
      ...(floors && { floors }),
    };
    const { via } = principal;
    const input: Input =
      delivery === undefined
        ? { kind: "envelope", ...about, ...(via && { via }) }
        : { kind: "answer", delivery, ...about };
    const at = timeOf(shell.clock);
    const decision = decide(floor, input, at);
    assertTaken(decision, envelope);
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

async function receiveAnswer(shell: Shell, conversationId: string, { delivery, turn }: DeliveryRef, ended: Ended) {
  const plan = async (floor: Floor | undefined): Promise<Plan> => {
    if (floor === undefined) throw new Problem("unknown-conversation");
    const now = timeOf(shell.clock);
    const settled = [delivery];
    if (ended.kind === "failure") {
      const { failure, detail } = ended;
      const decision = decide(floor, { kind: "answer", delivery, turn, failure }, now);
      return { decision, settled, dead: [{ delivery, failure, detail, at: now }] };
    }
    const { envelope, dialect, carried } = ended;
    const facts = await lookUp(shell.store, floor, envelope);
    const decision = decide(floor, { kind: "answer", delivery, turn, envelope, dialect, carried, facts }, now);
    return { decision, ...dedupeOf(decision, envelope, facts), settled };
  };
  return (await takeTurn(shell, conversationId, plan, { isAwaited: true })).entries;
}

async function receiveTimer(shell: Shell, conversationId: string, id: string): Promise<void> {
  const plan = async (floor: Floor | undefined): Promise<Plan> => {
    if (floor === undefined) throw new Problem("unknown-conversation");
    return { decision: decide(floor, { kind: "timer", id }, timeOf(shell.clock)), rung: [id] };
  };
  await takeTurn(shell, conversationId, plan, { isAwaited: true });
}

async function receiveCommand(shell: Shell, conversationId: string, command: Command): Promise<Receipt> {
  const taken = await takeTurn(shell, conversationId, async (floor) => {
    if (floor === undefined && command.verb !== "open") throw new Problem("unknown-conversation");
    const input: Input = { kind: "command", command, by: "operator" };
    const decision = decide(floor ?? emptyFloor(conversationId), input, timeOf(shell.clock));
    assertTaken(decision);
    return { decision };
  });
  return { conversationId, ...taken, refused: [], sender: shell.self().speakerUri, dialect: "1.1" };
}

function deliveryOf(shell: Shell, conversationId: string, { inReplyTo, principal }: From): string | undefined {
  const delivery = inReplyTo === undefined ? undefined : deliveryIn(inReplyTo);
  if (principal.isRecipient !== true) return delivery;
  if (inReplyTo !== undefined && delivery !== undefined) {
    if (isWebhookId(inReplyTo, { conversationId, delivery }, shell.deliverySecret())) return delivery;
  }
  throw new Problem("unauthorized", { detail: "In-Reply-To is no webhook-id that was sent for this conversation" });
}

/** 0.9, and an answer, are read by what is known of those at the floor. */
async function decodeKnowing(shell: Shell, text: string, first: Read, { inReplyTo }: From): Promise<Read> {
  const floor = await shell.store.load(first.envelope.conversation.id);
  if (inReplyTo === undefined) return decodeAtDoor(text, floor, shell);
  return decodeAnswer(text, peersOf(floor), shell) ?? first;
}

/** D26: an envelope for a conversation nobody knows creates it, for those who may host. */
function openFor(shell: Shell, envelope: Envelope, { principal, inReplyTo }: From): Decision {
  if (!mayHost(principal) || inReplyTo !== undefined) throw new Problem("unknown-conversation");
  const owner = ownerOfNew(envelope, shell.self());
  const command: Command = { verb: "open", self: shell.self(), owner, options: shell.floorOptions };
  const now = timeOf(shell.clock);
  return decide(emptyFloor(envelope.conversation.id), { kind: "command", command, by: "operator" }, now);
}

function after(first: Decision, then: Decision): Decision {
  const { floor, refusals } = then;
  const entries = [...first.entries, ...then.entries];
  return { floor, entries, effects: [...first.effects, ...then.effects], refusals };
}

/** Refused as a whole: nothing was applied, and the caller hears why. */
function assertTaken({ entries, refusals }: Decision, envelope?: Envelope): void {
  const [refusal] = refusals;
  if (entries.length > 0 || refusal === undefined) return;
  const { because, status, problem, index } = refusal;
  const pointer = index === undefined || envelope === undefined ? undefined : `/openFloor/events/${index}`;
  throw new Problem("refused", { status, detail: problem, ...(pointer && { pointer }), extra: { because } });
}
