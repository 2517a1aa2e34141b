import { type EventOf, type FloorEvent, isPrivate, isSameUri } from "@plenary/protocol";
import { approveInvite, grant, notifyPerson, revoke } from "./events.ts";
import {
  earlier,
  extrasIn,
  nextCheckMs,
  removeByEvent,
  revokedAtOnceMax,
  revokeExtras,
  soonMs,
} from "./extra-speakers.ts";
import {
  afterEvents,
  beneficiaryOf,
  conversantFor,
  conversantWith,
  isGranted,
  isOwner,
  isPublicUtterance,
  speakersIn,
} from "./floor-view.ts";
import type { ConvenerPolicy, FloorView, PolicyInput, Ruling } from "./policy.ts";
import {
  emptyQueue,
  heldNotice,
  holdUtterance,
  isHolder,
  noteRegrant,
  noteRevoked,
  positionOf,
  refreshQueue,
  removeSpeaker,
  restartTurn,
  type SpeakerQueue,
  setHolder,
  withoutHolder,
} from "./speaker-queue.ts";

export type RoundRobinOptions = {
  turnMs?: number;
  utterancesPerTurn?: number;
};

type RoundRobinState = {
  /** Holds utterances only: turns come without a request. */
  queue: SpeakerQueue;
  /** In the order of joining, without the owner, who may always speak. */
  order: readonly string[];
  /** The current or last speaker; stays in `order` until the next turn starts. */
  last?: string;
  utterancesInTurn: number;
  /** Consecutive turns without an utterance. */
  silentTurns: number;
};

type Limits = Required<RoundRobinOptions>;
type Step = { state: RoundRobinState; events: readonly FloorEvent[] };

const newState: RoundRobinState = { queue: emptyQueue, order: [], utterancesInTurn: 0, silentTurns: 0 };

export function roundRobinPolicy({
  turnMs = 60_000,
  utterancesPerTurn = 1,
}: RoundRobinOptions = {}): ConvenerPolicy<RoundRobinState> {
  const limits = { turnMs, utterancesPerTurn };
  return {
    name: "round-robin",
    conversationalName: "Round Table",
    synopsis: "Convenes in turns: speakers follow the order of joining, each with one message or one minute.",
    newState: () => newState,
    rule: (state, input, view) => rule(state, input, view, limits),
  };
}

function rule(before: RoundRobinState, input: PolicyInput, view: FloorView, limits: Limits): Ruling<RoundRobinState> {
  const { state: handled, events } = handle(refreshOrder(before, input, view), input, view);
  // The rest of the ruling must not count conversants that its own events remove.
  const then = afterEvents(view, events);
  const { state, events: passed } = advance(withoutOwner(handled, then), then, limits);
  const { queue, events: revoked } = revokeExtras(state.queue, then, "everyone speaks in turn");
  const next = { ...state, queue };
  const isMore = extrasIn(queue, then).length > 0;
  const wakeAtMs = isMore ? view.nowMs + soonMs : earlier(wakeTime(next, then, limits), nextCheckMs(queue, then));
  return {
    state: next,
    // C12: revocations come before grants.
    events: [...revoked, ...events, ...passed],
    ...(wakeAtMs !== undefined && { wakeAtMs }),
  };
}

/** R1, R5: newcomers join at the end; a conversant who left is skipped. */
function refreshOrder(state: RoundRobinState, input: PolicyInput, view: FloorView): RoundRobinState {
  const { last } = state;
  const { queue } = withoutOwner({ ...state, queue: refreshQueue(state.queue, input, view) }, view);
  const present = view.conversants.map(({ speakerUri }) => speakerUri).filter((one) => !isOwner(one, view));
  const order = state.order.filter((one) => isOneOf(one, present) || (last !== undefined && isSameUri(one, last)));
  return { ...state, queue, order: [...order, ...present.filter((one) => !isOneOf(one, order))] };
}

/** A conversant who becomes the owner leaves the order. */
function withoutOwner(state: RoundRobinState, view: FloorView): RoundRobinState {
  const { queue } = state;
  return isOwner(queue.holder?.speakerUri, view) ? { ...state, queue: withoutHolder(queue) } : state;
}

const isOneOf = (speakerUri: string, others: readonly string[]) => others.some((one) => isSameUri(one, speakerUri));

/** The present conversants in order, from the one after the last speaker. */
function upcoming({ order, last }: RoundRobinState, view: FloorView): string[] {
  const at = order.findIndex((one) => last !== undefined && isSameUri(one, last));
  const rotated = [...order.slice(at + 1), ...order.slice(0, at + 1)];
  return rotated.filter((one) => conversantWith(view, one) !== undefined && !isOwner(one, view));
}

function handle(state: RoundRobinState, input: PolicyInput, view: FloorView): Step {
  if (input.kind === "appointed") {
    const [speaker, another] = speakersIn(view);
    if (speaker === undefined || another !== undefined) return { state, events: [] };
    return { state: startTurn(state, speaker, view.nowMs), events: [] };
  }
  if (input.kind === "delegated") return onDelegated(state, input, view);
  if (input.kind === "observed" && isPublicUtterance(input.event))
    return { state: countUtterance(state, input.sender, view), events: [] };
  return { state, events: [] };
}

/** Any utterance ends the silence. An utterance of the owner restarts the turn, so that the speaker has time to answer. */
function countUtterance(state: RoundRobinState, sender: string, view: FloorView): RoundRobinState {
  const { queue } = state;
  if (isHolder(queue, sender)) return { ...state, utterancesInTurn: state.utterancesInTurn + 1, silentTurns: 0 };
  return { ...state, silentTurns: 0, queue: isOwner(sender, view) ? restartTurn(queue, view.nowMs) : queue };
}

function startTurn(state: RoundRobinState, speakerUri: string, nowMs: number): RoundRobinState {
  return { ...state, last: speakerUri, queue: setHolder(state.queue, speakerUri, nowMs), utterancesInTurn: 0 };
}

function onDelegated(
  state: RoundRobinState,
  { event, sender }: PolicyInput & { kind: "delegated" },
  view: FloorView,
): Step {
  switch (event.eventType) {
    case "requestFloor":
      return onRequestFloor(state, beneficiaryOf(event, sender, view), view);
    case "grantFloor": {
      const target = isOwner(sender, view) ? conversantFor(view, event.to)?.speakerUri : undefined;
      return target === undefined ? { state, events: [] } : onGrantFloor(state, event, target, view);
    }
    case "utterance":
      return onUtterance(state, event, sender, view);
    case "invite":
      return { state, events: approveInvite(event, view, (speakerUri) => isHolder(state.queue, speakerUri)) };
    case "uninvite":
    case "revokeFloor": {
      const { queue, events } = removeByEvent(state.queue, event, sender, view);
      return { state: { ...state, queue }, events };
    }
    default:
      return { state, events: [event] };
  }
}

/** R6: turns come without a request. A person gets a whisper, an agent the revokeFloor that spec 1.19 wants as an answer. */
function onRequestFloor(before: RoundRobinState, speakerUri: string, view: FloorView): Step {
  // A request ends the silence: turns go on.
  const state = { ...before, silentTurns: 0 };
  const { queue } = state;
  if (isOwner(speakerUri, view)) return { state, events: [grant(speakerUri)] };
  if (isHolder(queue, speakerUri)) {
    return { state: { ...state, queue: noteRegrant(queue, view.nowMs) }, events: [grant(speakerUri)] };
  }
  if (queue.holder === undefined) return { state, events: [] };
  const position = upcoming(state, view).findIndex((one) => isSameUri(one, speakerUri)) + 1;
  const text = `Everyone speaks in turn; you are number ${position}.`;
  if (conversantWith(view, speakerUri)?.isPerson !== true) return { state, events: [revoke(speakerUri, text)] };
  const notified = notifyPerson(queue, speakerUri, text, view);
  return { state: { ...state, queue: notified.state }, events: notified.events };
}

function onGrantFloor(state: RoundRobinState, event: FloorEvent, target: string, view: FloorView): Step {
  if (isOwner(target, view)) return { state, events: [event] };
  const { holder } = state.queue;
  const isTaken = holder !== undefined && !isSameUri(holder.speakerUri, target);
  const queue = isTaken ? noteRevoked(state.queue, holder.speakerUri, view.nowMs) : state.queue;
  const taken = isTaken ? [revoke(holder.speakerUri, "@override the owner gives the floor to another speaker")] : [];
  return { state: startTurn({ ...state, queue }, target, view.nowMs), events: [...taken, event] };
}

function onUtterance(state: RoundRobinState, event: EventOf<"utterance">, sender: string, view: FloorView): Step {
  const { queue } = state;
  if (isPrivate(event)) return { state, events: [event] };
  if (isOwner(sender, view) || isHolder(queue, sender)) {
    return { state: countUtterance(state, sender, view), events: [event] };
  }
  const kept = holdUtterance(queue, sender, view.nowMs, event);
  if (kept === undefined) {
    return { state, events: [revoke(sender, "@brokenPolicy too much is waiting already")] };
  }
  const notified = notifyPerson(kept, sender, heldNotice(kept, sender), view);
  return { state: { ...state, silentTurns: 0, queue: notified.state }, events: notified.events };
}

/** R2 to R4: a turn ends by its number of utterances, by its time, or when the speaker leaves; then the next turn starts. */
function advance(state: RoundRobinState, view: FloorView, { turnMs, utterancesPerTurn }: Limits): Step {
  const { nowMs } = view;
  const { holder } = state.queue;
  const events: FloorEvent[] = [];
  let next = state;
  if (holder !== undefined) {
    const isSpoken = state.utterancesInTurn >= utterancesPerTurn;
    const isLate = nowMs >= holder.sinceMs + turnMs && state.silentTurns < state.order.length;
    if (upcoming(state, view).length < 2 || (!isSpoken && !isLate)) {
      return { state: isSpoken ? { ...state, utterancesInTurn: 0 } : state, events };
    }
    const silentTurns = state.utterancesInTurn === 0 ? state.silentTurns + 1 : 0;
    next = { ...state, silentTurns, queue: noteRevoked(withoutHolder(state.queue), holder.speakerUri, nowMs) };
    events.push(
      revoke(holder.speakerUri, isSpoken ? "it is the next speaker's turn" : "@timedOut it is the next speaker's turn"),
    );
  }
  return startNextTurn(next, view, utterancesPerTurn, events);
}

/** Held utterances count as their speaker's turn; the first speaker without enough of them gets the floor. */
function startNextTurn(state: RoundRobinState, view: FloorView, utterancesPerTurn: number, events: FloorEvent[]): Step {
  let next = state;
  const round = upcoming(state, view);
  // If all speakers used up their turns with held utterances, the first one is next.
  for (const speakerUri of [...round, ...round.slice(0, 1)]) {
    const held = next.queue.waiting[positionOf(next.queue, speakerUri)]?.utterances ?? [];
    next = startTurn({ ...next, queue: removeSpeaker(next.queue, speakerUri) }, speakerUri, view.nowMs);
    if (held.length < utterancesPerTurn || events.length >= revokedAtOnceMax) {
      // At the start the first speaker may have the floor already. No second grant: it may have yielded meanwhile.
      const hasFloor = state.last === undefined && isGranted(speakerUri, view);
      events.push(...(hasFloor ? [] : [grant(speakerUri)]), ...held);
      return { state: { ...next, utterancesInTurn: held.length }, events };
    }
    events.push(...held);
    next = { ...next, queue: withoutHolder(next.queue) };
  }
  return { state: next, events };
}

function wakeTime(state: RoundRobinState, view: FloorView, { turnMs }: Limits): number | undefined {
  const { silentTurns, queue } = state;
  const { length } = upcoming(state, view);
  if (queue.holder === undefined) return undefined;
  // R4: after a round of silence the policy waits for an utterance.
  return length < 2 || silentTurns >= length ? undefined : queue.holder.sinceMs + turnMs;
}
