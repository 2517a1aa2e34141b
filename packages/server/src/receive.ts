import type { FloorOptions, Input } from "@plenary/floor";
import {
  type Command,
  type Decision,
  type DeliverEffect,
  decide,
  type Effect,
  type Entry,
  emptyFloor,
  type Floor,
} from "@plenary/floor";
import type { Dialect, Envelope } from "@plenary/protocol";
import { assertSpeaker, mayHost, type Principal } from "./admit.ts";
import { decodeAnswer, decodeAtDoor, peersOf, type Read, timeOf } from "./decode.ts";
import { Problem } from "./errors.ts";
import { dedupeKeys, lookUp } from "./facts.ts";
import { deliveryIn, isWebhookId } from "./outbound/write-letter.ts";
import { ownerOfNew } from "./owner.ts";
import type { Change, Clock, DedupeKey, FloorStore, Ids, Outcome, Self } from "./ports.ts";
import { type PartialRefusal, refusalsOf } from "./receipt.ts";
import type { Turns, Walk } from "./turn.ts";
import type { Watcher } from "./watch.ts";

export type Shell = {
  store: FloorStore;
  clock: Clock;
  ids: Ids;
  turns: Turns;
  watcher: Watcher;
  self: () => Self;
  deliverySecret: () => string;
  /** Of conversations that come into being by their first envelope. */
  floorOptions: FloorOptions;
  /** Begins the work; the results come back as answers and timers. Never throws. */
  perform: (conversationId: string, effects: readonly Effect[]) => void;
};

/** Where an envelope came from. */
type From = {
  principal: Principal;
  /** Hops behind it on other floors (D17). */
  depth?: number;
  floors?: readonly string[];
  /** The header of an agent that answers on its own time: it names the delivery (D22). */
  inReplyTo?: string;
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
    timer: (conversationId, id) => receiveTimer(shell, conversationId, id),
    command: (conversationId, command) => receiveCommand(shell, conversationId, command),
  };
}

async function receiveEnvelope(shell: Shell, text: string, from: From): Promise<Receipt> {
  const { envelope, dialect, carried } = await decode(shell, text, from);
  const sender = envelope.sender.speakerUri;
  assertSpeaker(from.principal, sender);
  const conversationId = envelope.conversation.id;
  const { depth, floors } = from;
  const { via } = from.principal;
  const inReplyTo = deliveryOf(shell, conversationId, from);
  const taken = await takeTurn(shell, conversationId, async (stored) => {
    const opening = stored === undefined ? openFor(shell, envelope, from) : undefined;
    const floor = opening?.floor ?? stored ?? emptyFloor(conversationId);
    const facts = await lookUp(shell.store, floor, envelope);
    const about = {
      envelope,
      dialect,
      carried,
      facts,
      ...(depth !== undefined && { depth }),
      ...(floors && { floors }),
    };
    const input: Input =
      inReplyTo === undefined
        ? { kind: "envelope", ...about, ...(via && { via }) }
        : { kind: "answer", delivery: inReplyTo, ...about };
    const decision = decide(floor, input, timeOf(shell.clock));
    assertTaken(decision, envelope);
    const settled = inReplyTo === undefined ? [] : [inReplyTo];
    return { decision: opening ? after(opening, decision) : decision, ...dedupe(decision, envelope, facts), settled };
  });
  return { conversationId, ...taken, refused: refusalsOf(taken.entries, envelope.events), sender, dialect };
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
    return { decision, ...dedupe(decision, envelope, facts), settled };
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

type Plan = {
  decision: Decision;
  dedupe?: readonly DedupeKey[];
  settled?: readonly string[];
  rung?: readonly string[];
  dead?: Change["dead"];
  request?: Change["request"];
};

function deliveryOf(shell: Shell, conversationId: string, { inReplyTo, principal }: From): string | undefined {
  const delivery = inReplyTo === undefined ? undefined : deliveryIn(inReplyTo);
  if (principal.isRecipient !== true) return delivery;
  if (inReplyTo !== undefined && delivery !== undefined) {
    if (isWebhookId(inReplyTo, { conversationId, delivery }, shell.deliverySecret())) return delivery;
  }
  throw new Problem("unauthorized", { detail: "In-Reply-To is no webhook-id that was sent for this conversation" });
}

/** The walk: load, decide, append, and only then act. Another writer in between means deciding again, from the start. */
function takeTurn(
  shell: Shell,
  conversationId: string,
  plan: (floor: Floor | undefined) => Promise<Plan>,
  options: { isAwaited?: boolean } = {},
): Promise<Pick<Receipt, "floor" | "entries">> {
  let planned: Plan;
  const walk: Walk<Pick<Receipt, "floor" | "entries">> = {
    async plan() {
      const stored = await shell.store.load(conversationId);
      planned = await plan(stored);
      const change = changeOf(planned);
      if (isNothing(change)) return undefined;
      return () => shell.store.append(conversationId, change, stored?.seq ?? 0);
    },
    finish() {
      const { floor, entries, effects } = planned.decision;
      shell.perform(conversationId, effects);
      if (entries.length > 0) shell.watcher.wake(conversationId);
      return { floor, entries };
    },
  };
  return shell.turns.take(conversationId, walk, options);
}

function changeOf({ decision, dedupe = [], settled = [], rung = [], dead = [], request }: Plan): Change {
  const { floor, entries, effects } = decision;
  const deliveries = effects.filter((effect) => effect.kind === "deliver");
  const timers = effects.filter((effect) => effect.kind === "timer").map(({ id, at }) => ({ id, at }));
  return { floor, entries, deliveries, timers, dedupe, settled, rung, dead, ...(request && { request }) };
}

function isNothing({ floor, entries, settled, rung }: Change): boolean {
  return entries.length === 0 && (floor.seq === 0 || (settled.length === 0 && rung.length === 0));
}

/** Only 0.9 needs to know who is at the floor to be read, so only then the floor is looked at first. */
async function decode(shell: Shell, text: string, { inReplyTo }: From): Promise<Read> {
  const first = decodeAtDoor(text, undefined, shell);
  if (first.dialect !== "0.9" && inReplyTo === undefined) return first;
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

/** Remembered are utterances that took effect or are parked, not those ignored or refused (D29). */
function dedupe(
  { floor, entries }: Decision,
  envelope: Envelope,
  { duplicates = [] }: { duplicates?: readonly number[] },
) {
  const refused = new Set(refusalsOf(entries, envelope.events).map(({ index }) => index));
  const isLate = entries.every(({ kind }) => kind === "late");
  const keys = isLate ? [] : dedupeKeys(floor, envelope);
  const fresh = keys.filter(({ index }) => !refused.has(index) && !duplicates.includes(index));
  return { dedupe: fresh.map(({ sender, dialogEventId, hash }) => ({ sender, dialogEventId, hash })) };
}
