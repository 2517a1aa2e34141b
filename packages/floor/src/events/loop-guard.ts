import { type FloorEvent, textOf } from "@plenary/protocol";
import { type Draft, type Origin, write } from "../decision-builder.ts";
import { abort, underWay } from "../delivery/outgoing-envelopes.ts";
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

/** Where an envelope stands among what led to it. */
export type Place = Pick<Origin, "turn" | "depth" | "isPassedOn">;

/**
 * The turn of an envelope, and how many hops are behind it (D17). Only a person's own event begins a turn at depth 0. An
 * event that came over other floors, or by an agent's credential, has a depth of at least 1, whoever is seated there. An
 * agent's event stays in the turn that reached its sender last, and so does what has been on this floor before.
 */
export function turnOf(floor: Floor, seat: Seat, input: EnvelopeInput): Place {
  const { depth = 0, floors = [], via } = input;
  const isPerson = seat.kind === "person";
  const hops = Math.max(depth, floors.length);
  const begun = `t${floor.seq + 1}`;
  if (isPerson && hops === 0 && via !== "agent") return { turn: begun, depth: 0 };
  const isNew = isPerson && hops > 0 && !isBack(floor, depth, floors);
  const last = isNew ? undefined : seat.last;
  const place = { turn: last?.turn ?? begun, depth: Math.max(last?.depth ?? 0, hops) };
  return isPerson ? { ...place, depth: Math.max(place.depth, 1), isPassedOn: true } : place;
}

/** A mediator's sub-floor is on the floor of its outer conversation as a rule: there the depth alone counts. */
function isBack({ self, options }: Floor, depth: number, floors: readonly string[]): boolean {
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

/** Leaving, giving way and being sent away come to an end by themselves, and stopping them would stop the cure. */
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

/** What the brake says to an agent's next event in a turn, if anything. */
export function brakeOn(floor: Floor, event: FloorEvent, origin: Origin): Because | undefined {
  if (!isCounted(floor, event, origin)) return undefined;
  const { turnDepthMax, turnAgentEventsMax, sameTextMax } = floor.options;
  const turn = turnState(floor, origin.turn);
  if (turn?.isPaused === true) return "loop/paused";
  if (origin.depth > turnDepthMax) return "loop/depth";
  if (turn === undefined) return undefined;
  if (turn.agentEvents >= turnAgentEventsMax) return "loop/agent-events";
  const mark = textMark(floor, event, origin);
  return mark !== undefined && turn.said.filter((said) => said === mark).length >= sameTextMax
    ? "loop/same-text"
    : undefined;
}

/**
 * Stands for which agent said what, without the words: what is erased must not live on in a floor or its entries.
 * Undefined where nothing is said, or a person's words are.
 */
export function textMark(floor: Floor, event: FloorEvent, { speakerUri }: Origin): string | undefined {
  if (event.eventType !== "utterance") return undefined;
  const { dialogEvent } = event.parameters;
  // What the convener says for somebody else is that one's, if it is here at all.
  const speaker = speakerUri === convenerOf(floor) ? seatOf(floor, dialogEvent.speakerUri) : undefined;
  if (speaker?.kind === "person") return undefined;
  const said = `${speaker?.identification.speakerUri ?? speakerUri} ${textOf(dialogEvent)}`;
  return `${hash(said, 0x811c9dc5)}.${hash(said, 0x2f0b4a27)}`;
}

/** FNV-1a. Two texts of one turn with the same mark would only come under the brake early. */
function hash(text: string, base: number): string {
  let value = base;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36);
}

/** Depth of a delivery that holds the words that began its turn, and of its answer. */
const firstDepth = 1;

/**
 * True for the first utterance of an answer to the words that began the turn. Agents that talk to each other without end
 * must not silence it, so the brake lets it pass; each delivery of those words has one such answer.
 */
export function isFirstReply({ depth, isAnswer }: Origin, events: readonly FloorEvent[], index: number): boolean {
  if (isAnswer !== true || depth !== firstDepth) return false;
  return events.findIndex(({ eventType }) => eventType === "utterance") === index;
}

/**
 * The turn stops, visibly: nothing of it is awaited any longer until a person speaks or somebody resumes it, except the
 * answers to the words that began it. What was said before still reaches everyone, and what is with the convener stays there.
 */
export function pauseTurn(draft: Draft, { turn, causedBy }: Origin, because: Because): void {
  if (isPaused(draft.floor, turn)) return;
  stop(draft, turn, { because, causedBy }, ({ depth }) => depth > firstDepth);
}

/**
 * Stop (D18): every turn in which somebody is waited for, or those that are named. In a paused one too, whoever leaves is
 * heard by the others.
 */
export function pauseTurns(draft: Draft, why: { because: Because; by?: string }, only?: readonly string[]): void {
  const turns = new Set(draft.floor.open.filter(({ isDelegation }) => !isDelegation).map(({ turn }) => turn));
  for (const turn of turns) if (only === undefined || only.includes(turn)) stop(draft, turn, why);
}

type Why = { because: Because; causedBy?: number; by?: string };

function stop(draft: Draft, turn: string, why: Why, isMeant: (open: OpenDelivery) => boolean = () => true): void {
  const ofTurn = (open: OpenDelivery) => open.turn === turn && !open.isDelegation && isMeant(open);
  abort(draft, underWay(draft, ofTurn));
  const aborts = draft.floor.open.filter(ofTurn).map(({ id }) => id);
  write(draft, turn, { kind: "paused", ...why, audience: everyone(draft.floor), aborts });
}

/** A person's word, a command, or the convener's own initiative lets the agents go on. */
export function resumeTurns(draft: Draft, turn: string, why: { because: Because; by?: string }): void {
  if (!draft.floor.turns.some((one) => one.isPaused)) return;
  write(draft, turn, { kind: "resumed", ...why, audience: everyone(draft.floor) });
}
