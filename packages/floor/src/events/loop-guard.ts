import { type FloorEvent, textOf } from "@plenary/protocol";
import { type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import { abort, deliveriesInFlight } from "../delivery/outgoing-envelopes.ts";
import { everyone, resolve } from "../delivery/recipients.ts";
import {
  convenerOf,
  type Floor,
  isGranted,
  isPaused,
  type OpenDelivery,
  type Seat,
  seatOf,
  turnState,
} from "../floor.ts";
import type { EnvelopeInput } from "../input.ts";
import type { Because } from "../rules.ts";

/** The turn of an envelope and its depth in it. */
export type TurnPosition = Pick<Origin, "turn" | "depth" | "isPassedOn">;

/**
 * The turn of an envelope, and how many hops are behind it (D17). Only a person's own event begins a turn at depth 0. An
 * event that came over other floors, or by an agent's credential, has a depth of at least 1 in every seat. An
 * agent's event stays in the turn that reached its sender last, and so does what has been on this floor before.
 */
export function turnOf(floor: Floor, seat: Seat, input: EnvelopeInput): TurnPosition {
  const { depth = 0, floors = [], via } = input;
  const isPerson = seat.kind === "person";
  const hops = Math.max(depth, floors.length);
  const begun = `t${floor.seq + 1}`;
  if (isPerson && hops === 0 && via !== "agent") return { turn: begun, depth: 0 };
  const isNew = isPerson && hops > 0 && !hasReturned(floor, depth, floors);
  const last = isNew ? undefined : seat.last;
  const position = { turn: last?.turn ?? begun, depth: Math.max(last?.depth ?? 0, hops) };
  return isPerson ? { ...position, depth: Math.max(position.depth, 1), isPassedOn: true } : position;
}

/** A mediator's sub-floor usually runs on the floor of its outer conversation: there only the depth counts. */
function hasReturned({ self, options }: Floor, depth: number, floors: readonly string[]): boolean {
  return floors.includes(self.speakerUri) && (options.parent === undefined || depth === 0);
}

/**
 * True when the event counts against the budget of its turn (D17): an agent's, and what a person's seat passes on from
 * elsewhere.
 */
export function isCounted(floor: Floor, event: FloorEvent, origin: Origin): boolean {
  const kind = seatOf(floor, origin.speakerUri)?.kind;
  const isPassedOn = kind === "person" && origin.depth > 0 && origin.isAnswer !== true;
  return (kind === "agent" || isPassedOn) && !endsSomething(floor, event, origin);
}

/** Events that end something never loop, and they can end a loop. */
function endsSomething(floor: Floor, event: FloorEvent, { speakerUri, approvedBy }: Origin): boolean {
  const isConveners = approvedBy !== undefined || speakerUri === convenerOf(floor);
  switch (event.eventType) {
    case "bye":
    case "declineInvite":
      return true;
    case "yieldFloor":
      return isGranted(floor, speakerUri);
    case "uninvite":
      return isConveners;
    case "revokeFloor":
      return isConveners && resolve(floor, event.to).some((seat) => isGranted(floor, seat.identification.speakerUri));
    default:
      return false;
  }
}

/** The limit that an agent's next event in a turn exceeds, if any. */
export function loopLimit(floor: Floor, event: FloorEvent, origin: Origin): Because | undefined {
  if (!isCounted(floor, event, origin)) return undefined;
  const { turnDepthMax, turnAgentEventsMax, sameTextMax } = floor.options;
  const turn = turnState(floor, origin.turn);
  if (turn?.isPaused === true) return "loop/paused";
  if (origin.depth > turnDepthMax) return "loop/depth";
  if (turn === undefined) return undefined;
  if (turn.agentEvents >= turnAgentEventsMax) return "loop/agent-events";
  const mark = textFingerprint(floor, event, origin);
  return mark !== undefined && turn.said.filter((said) => said === mark).length >= sameTextMax
    ? "loop/same-text"
    : undefined;
}

/**
 * A fingerprint of speaker and text. It does not contain the text, which may be erased later.
 * Undefined for events other than utterances, and for a person's words.
 */
export function textFingerprint(floor: Floor, event: FloorEvent, { speakerUri }: Origin): string | undefined {
  if (event.eventType !== "utterance") return undefined;
  const { dialogEvent } = event.parameters;
  // An utterance that the convener passes on for another conversant counts as that conversant's.
  const speaker = speakerUri === convenerOf(floor) ? seatOf(floor, dialogEvent.speakerUri) : undefined;
  if (speaker?.kind === "person") return undefined;
  const said = `${speaker?.identification.speakerUri ?? speakerUri} ${textOf(dialogEvent)}`;
  return `${hash(said, 0x811c9dc5)}.${hash(said, 0x2f0b4a27)}`;
}

/** FNV-1a. A collision within one turn only makes the loop guard act early. */
function hash(text: string, base: number): string {
  let value = base;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36);
}

/** Depth of the deliveries of the utterance that began the turn, and of their answers. */
const firstDepth = 1;

/**
 * True for the first utterance of an answer to the event that began the turn. Agents that talk to each other without end
 * must not silence it, so the loop guard lets it pass; each delivery of those words has one such answer.
 */
export function isFirstReply({ depth, isAnswer }: Origin, events: readonly FloorEvent[], index: number): boolean {
  if (isAnswer !== true || depth !== firstDepth) return false;
  return events.findIndex(({ eventType }) => eventType === "utterance") === index;
}

/**
 * Pauses the turn until a person speaks or the agents are resumed. Its deliveries are closed, except those of the event that
 * began it. Sent events still arrive, and delegations stay open.
 */
export function pauseTurn(builder: DecisionBuilder, { turn, causedBy }: Origin, because: Because): void {
  if (isPaused(builder.floor, turn)) return;
  stop(builder, turn, { because, causedBy }, ({ depth }) => depth > firstDepth);
}

/**
 * Stop (D18): pauses every turn with open deliveries, or only the named ones. In a paused turn too, others receive the
 * events of a conversant that leaves.
 */
export function pauseTurns(
  builder: DecisionBuilder,
  why: { because: Because; by?: string },
  only?: readonly string[],
): void {
  const turns = new Set(builder.floor.open.filter(({ isDelegation }) => !isDelegation).map(({ turn }) => turn));
  for (const turn of turns) if (only === undefined || only.includes(turn)) stop(builder, turn, why);
}

type Why = { because: Because; causedBy?: number; by?: string };

function stop(
  builder: DecisionBuilder,
  turn: string,
  why: Why,
  isMeant: (open: OpenDelivery) => boolean = () => true,
): void {
  const ofTurn = (open: OpenDelivery) => open.turn === turn && !open.isDelegation && isMeant(open);
  abort(builder, deliveriesInFlight(builder, ofTurn));
  const aborts = builder.floor.open.filter(ofTurn).map(({ id }) => id);
  write(builder, turn, { kind: "paused", ...why, audience: everyone(builder.floor), aborts });
}

/** Resumes all paused turns. */
export function resumeTurns(builder: DecisionBuilder, turn: string, why: { because: Because; by?: string }): void {
  if (!builder.floor.turns.some((one) => one.isPaused)) return;
  write(builder, turn, { kind: "resumed", ...why, audience: everyone(builder.floor) });
}
