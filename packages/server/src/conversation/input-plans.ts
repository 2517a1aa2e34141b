import {
  type Command,
  type CommandFacts,
  type CommandInput,
  type Decision,
  type DeliverEffect,
  decide,
  emptyFloor,
  type Facts,
  type Floor,
  type Input,
  type LapsedQuestion,
  seatOf,
} from "@plenary/floor";
import { type Envelope, isPrivate } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import type { MaybePromise } from "../ports/maybe-promise.ts";
import type { EndedOutcome } from "../ports/outbound.ts";
import { isOperator, mayHost, viaOf } from "../ports/principal.ts";
import { isOurRelay } from "../ports/speaker-uri.ts";
import type { CommandBy, EnvelopeRequest, InputOrigin, PlanContext } from "./context.ts";
import type { DecodedEnvelope } from "./decode.ts";
import { dedupeOf } from "./dedupe.ts";
import { eventsIn } from "./erasure.ts";
import { lookUp, unansweredQuestion } from "./facts.ts";
import { type DeliveryRef, failureInput, isUnsentNew } from "./failed-delivery.ts";
import { assertConversationId, ownerOfNew } from "./new-conversation.ts";
import { type PlannedChange, unchanged } from "./planned-change.ts";
import { assertAccepted, leftOutOf } from "./receipt.ts";
import { assertRecipient } from "./reply-authorization.ts";
import { currentName } from "./visibility.ts";

/** One kind of input: the facts that its decision needs, and the decision. Both run again after a conflict. */
export type InputPlan<Known> = {
  origin: InputOrigin;
  /** Accepted even when the queue is full: nothing would send it again. */
  isAwaited?: boolean;
  /** `stored`: undefined when the conversation does not exist. */
  lookUp(stored: Floor | undefined): MaybePromise<Known>;
  decide(stored: Floor | undefined, known: Known): PlannedChange;
};

type EnvelopeFacts = Facts | { opening: Decision; facts: Facts };

/** An envelope from outside; `delivery`: the one that it answers. */
export function envelopePlan(
  context: PlanContext,
  request: EnvelopeRequest,
  read: DecodedEnvelope,
  delivery: string | undefined,
): InputPlan<EnvelopeFacts> {
  const { envelope, dialect, carried } = read;
  const { principal, depth, floors, whisperer, traceparent } = request;
  const conversationId = envelope.conversation.id;
  const kind = delivery === undefined ? "envelope" : "answer";
  return {
    origin: { conversationId, kind, delivery, traceparent },
    lookUp(stored) {
      if (stored === undefined) return openFor(context, request, read, delivery);
      if (delivery === undefined) return lookUp(context, stored, envelope);
      const checked = assertRecipient(context, stored, request, envelope, delivery);
      const find = () => lookUp(context, stored, envelope, delivery);
      return checked === undefined ? find() : checked.then(find);
    },
    decide(stored, known) {
      const opening = "opening" in known ? known.opening : undefined;
      const facts = "opening" in known ? known.facts : known;
      const floor = opening?.floor ?? stored ?? emptyFloor(conversationId);
      const leftOut = leftOutOf(read.leftOut);
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
          ? { kind: "envelope", ...common, ...viaOf(principal), ...(whisperer && { whisperer }) }
          : { kind: "answer", delivery, ...common };
      const decision = decide(floor, input, timeOf(context.clock));
      assertAccepted(decision, read, principal);
      const dedupe = dedupeOf(decision, envelope, facts);
      const settled = delivery === undefined ? none : [delivery];
      return { decision: opening === undefined ? decision : joined(opening, decision), dedupe, settled };
    },
  };
}

const none: readonly never[] = [];

/** D26: an envelope for an unknown conversation creates it if its sender is a person who may host. */
async function openFor(
  context: PlanContext,
  request: EnvelopeRequest,
  { envelope, dialect }: DecodedEnvelope,
  delivery: string | undefined,
): Promise<{ opening: Decision; facts: Facts }> {
  const { principal, inReplyTo } = request;
  const { id } = envelope.conversation;
  if (!mayHost(principal) || principal.kind === "agent" || inReplyTo !== undefined)
    throw new Problem("unknown-conversation");
  assertConversationId(id, `/${dialect === "0.9" ? "ovon" : "openFloor"}/conversation/id`);
  await context.admitOpening(principal);
  const owner = ownerOfNew(envelope, context.self);
  const command: Command = { verb: "open", self: context.self, owner, options: context.floorOptions };
  const { speakerUri } = owner;
  const by: CommandBy = isOperator(principal) ? { by: "operator" } : { by: "owner", speakerUri };
  const opening = decide(emptyFloor(id), { kind: "command", command, ...by }, timeOf(context.clock));
  return { opening, facts: await lookUp(context, opening.floor, envelope, delivery) };
}

function joined(first: Decision, second: Decision): Decision {
  const { floor, refusals } = second;
  const entries = [...first.entries, ...second.entries];
  return { floor, entries, effects: [...first.effects, ...second.effects], refusals };
}

/** The end of a delivery. */
export function answerPlan(
  context: PlanContext,
  conversationId: string,
  sent: DeliveryRef,
  ended: EndedOutcome,
): InputPlan<Facts | boolean> {
  const { delivery, turn } = sent;
  const settled = [delivery];
  const origin: InputOrigin = { conversationId, kind: "answer", delivery };
  if (ended.kind === "failure") {
    return {
      origin,
      isAwaited: true,
      lookUp: () => isUnsentNew(context.log, conversationId, sent, ended),
      decide(stored, isNew) {
        const at = timeOf(context.clock);
        const { failure, detail } = ended;
        const decision = decide(existing(stored), failureInput(sent, ended, isNew === true), at);
        return { decision, settled, dead: [{ delivery, failure, detail, at }] };
      },
    };
  }
  const { dialect, carried } = ended;
  const envelope = withinEventLimit(ended.envelope, context);
  const leftOut = leftOutOf(ended.leftOut ?? none);
  return {
    origin,
    isAwaited: true,
    lookUp: (stored) => lookUp(context, existing(stored), envelope, delivery),
    decide(stored, known) {
      const facts = known as Facts;
      const input: Input = { kind: "answer", delivery, turn, envelope, dialect, carried, facts, leftOut };
      const decision = decide(existing(stored), input, timeOf(context.clock));
      return { decision, dedupe: dedupeOf(decision, envelope, facts), settled };
    },
  };
}

function existing(stored: Floor | undefined): Floor {
  if (stored === undefined) throw new Problem("unknown-conversation");
  return stored;
}

/** Drops surplus events of an answer silently. */
function withinEventLimit(envelope: Envelope, { requestLimits: { eventsMax } }: PlanContext): Envelope {
  const { events } = envelope;
  return events.length <= eventsMax ? envelope : { ...envelope, events: events.slice(0, eventsMax) };
}

/**
 * The end of a redelivered dead letter. The floor no longer waits for its answer, so an answer counts as an unsolicited
 * envelope of that conversant; after a failure the delivery is a dead letter again.
 */
export function redeliveryPlan(
  context: PlanContext,
  conversationId: string,
  effect: Pick<DeliverEffect, "delivery" | "to" | "events" | "sender">,
  ended: EndedOutcome,
): InputPlan<Facts> {
  const { delivery, to } = effect;
  const settled = [delivery];
  return {
    origin: { conversationId, kind: "answer", delivery },
    isAwaited: true,
    lookUp: (stored) => (ended.kind === "failure" ? {} : lookUp(context, existing(stored), ended.envelope)),
    decide(stored, facts) {
      const floor = existing(stored);
      const at = timeOf(context.clock);
      const givenUp = (failure: string, detail: string): PlannedChange => {
        return { decision: unchanged(floor), settled, dead: [{ delivery, failure, detail, at }] };
      };
      if (ended.kind === "failure") return givenUp(ended.failure, ended.detail);
      const { envelope, dialect, carried } = ended;
      if (envelope.events.length === 0) return { decision: unchanged(floor), settled };
      if (!isOneOf(floor, to.speakerUri, envelope.sender.speakerUri)) {
        return givenUp("refused", "the answer came from another sender");
      }
      const answering = effect.events.some(isPrivate) && { whisperer: effect.sender.speakerUri };
      const decision = decide(floor, { kind: "envelope", envelope, dialect, carried, facts, ...answering }, at);
      const [refusal] = decision.refusals;
      if (decision.entries.length === 0 && refusal !== undefined) {
        return givenUp("refused", `the floor refused the answer: ${refusal.problem}`);
      }
      return { decision, dedupe: dedupeOf(decision, envelope, facts), settled };
    },
  };
}

/** Also compares conversants without a seat, by their current names. */
function isOneOf(floor: Floor, addressee: string, sender: string): boolean {
  const nameOf = (speakerUri: string) =>
    seatOf(floor, speakerUri)?.identification.speakerUri ?? currentName(floor, speakerUri);
  return nameOf(addressee) === nameOf(sender);
}

export function timerPlan(
  { log, clock }: PlanContext,
  conversationId: string,
  id: string,
): InputPlan<LapsedQuestion | undefined> {
  const questionSeq = /^question:(\d+)$/u.exec(id)?.[1];
  return {
    origin: { conversationId, kind: "timer" },
    isAwaited: true,
    lookUp: (stored) =>
      questionSeq === undefined ? undefined : unansweredQuestion(log, existing(stored), Number(questionSeq)),
    decide(stored, question) {
      const input = { kind: "timer", id, ...(question && { question }) } as const;
      return { decision: decide(existing(stored), input, timeOf(clock)), rung: [id] };
    },
  };
}

/** A command of the host interface. */
export function commandPlan(
  context: PlanContext,
  conversationId: string,
  command: Command,
  by: CommandBy,
): InputPlan<CommandFacts> {
  return {
    origin: { conversationId, kind: "command" },
    lookUp: (stored) => (command.verb === "erase" && stored ? erasedFacts(context, stored, command.seq) : {}),
    decide(stored, known) {
      if (stored === undefined && command.verb !== "open") throw new Problem("unknown-conversation");
      if (stored === undefined) assertConversationId(conversationId, "/id");
      const isElsewhere = command.verb === "seat" && !isOurRelay(context.self.serviceUrl, command.identification);
      const facts: CommandFacts = isElsewhere ? { isElsewhere } : known;
      const input: CommandInput = { kind: "command", command, facts, ...by };
      const decision = decide(stored ?? emptyFloor(conversationId), input, timeOf(context.clock));
      assertAccepted(decision);
      return { decision };
    },
  };
}

/** An entry without events has nothing to erase. */
async function erasedFacts({ log }: PlanContext, { id }: Floor, seq: number): Promise<CommandFacts> {
  const [entry] = await log.entries(id, { after: seq - 1, limit: 1 });
  return entry?.seq === seq && eventsIn(entry).length === 0 ? { emptyEntry: entry.kind } : {};
}
