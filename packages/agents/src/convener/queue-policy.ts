// One speaker at a time: the queue of raised hands, and the single speaker with a time limit.
import { type EventOf, type FloorEvent, isPrivate, isSameUri } from "@plenary/protocol";
import { approveInvite, grant, notifyPerson, revoke } from "./events.ts";
import { earlier, extrasIn, nextCheckMs, removeByEvent, revokeExtras, soonMs } from "./extra-speakers.ts";
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
import type { ConvenerPolicy, FloorView, PastEvent, PolicyInput, Ruling } from "./policy.ts";
import {
  emptyQueue,
  enqueue,
  type Holder,
  heldNotice,
  holdUtterance,
  isHolder,
  moveToFront,
  noteRegrant,
  noteRevoked,
  noteSpoken,
  positionOf,
  refreshQueue,
  removeSpeaker,
  type SpeakerQueue,
  setHolder,
  withoutHolder,
} from "./speaker-queue.ts";

type QueuePolicyOptions = Pick<ConvenerPolicy<SpeakerQueue>, "name" | "conversationalName" | "synopsis"> & {
  /** The longest turn while others wait. */
  turnMs: number;
  /** An owner who requests the floor gets it at once, and the current speaker loses it. */
  ownerInterrupts: boolean;
};

const eventsPerAdvanceMax = 4;

type Step = {
  queue: SpeakerQueue;
  events: readonly FloorEvent[];
  /** Sent with the speaker's position, if the speaker still waits after the ruling. */
  notice?: { speakerUri: string; text: string };
};

type TurnOptions = { turnMs?: number };

/** Speakers take turns in the order of requests. Turns end after `turnMs` only while others wait. */
export const queuePolicy = ({ turnMs = 300_000 }: TurnOptions = {}) =>
  createQueuePolicy({
    name: "queue",
    conversationalName: "Queue",
    synopsis: "Convenes with a queue of raised hands: one speaker at a time, in the order of asking, the owner first.",
    ownerInterrupts: false,
    turnMs,
  });

export const singleSpeakerPolicy = ({ turnMs = 60_000 }: TurnOptions = {}) =>
  createQueuePolicy({
    name: "single-speaker",
    conversationalName: "Speaker's Clock",
    synopsis: "Convenes with a clock: one speaker at a time, for a minute when others wait; the owner comes first.",
    ownerInterrupts: true,
    turnMs,
  });

function createQueuePolicy({ turnMs, ownerInterrupts, ...about }: QueuePolicyOptions): ConvenerPolicy<SpeakerQueue> {
  const rule = (queue: SpeakerQueue, input: PolicyInput, view: FloorView): Ruling<SpeakerQueue> => {
    const handled = handle(refreshQueue(queue, input, view), input, view, { ownerInterrupts });
    // The rest of the ruling must not count conversants that its own events remove.
    const then = afterEvents(view, handled.events);
    const advanced = advance(handled.queue, then, turnMs);
    const cleared = revokeExtras(advanced.queue, then, "one speaker at a time: please ask for the floor");
    const { state, events: notices } = withNotice(cleared.queue, handled.notice, then);
    const wakeAtMs = wakeTime(state, then, turnMs);
    // C12: revocations come before grants.
    const events = [...cleared.events, ...handled.events, ...advanced.events, ...notices];
    return { state, events, ...(wakeAtMs !== undefined && { wakeAtMs }) };
  };
  return { ...about, newState: () => emptyQueue, restore, rule };
}

/** C13: a single speaker keeps its turn and its start time; waiting speakers are forgotten and ask again. */
function restore(past: readonly PastEvent[], view: FloorView): SpeakerQueue {
  const [speaker, another] = speakersIn(view);
  if (speaker === undefined || another !== undefined) return emptyQueue;
  const given = past.findLast(({ event }) => {
    return event.eventType === "grantFloor" && isSameUri(event.to?.speakerUri ?? "", speaker);
  });
  return setHolder(emptyQueue, speaker, given?.atMs ?? view.nowMs);
}

type TurnRules = Pick<QueuePolicyOptions, "ownerInterrupts">;

function handle(queue: SpeakerQueue, input: PolicyInput, view: FloorView, rules: TurnRules): Step {
  switch (input.kind) {
    case "appointed":
      return { queue: onAppointed(queue, view), events: [] };
    case "delegated":
      return onDelegated(queue, input, view, rules);
    case "observed":
      return onObserved(queue, input, view);
    case "timer":
      return { queue, events: [] };
  }
}

/** C11: a single speaker keeps the floor; of several speakers none does. */
function onAppointed(queue: SpeakerQueue, view: FloorView): SpeakerQueue {
  if (queue.holder !== undefined) return queue;
  const [speaker, another] = speakersIn(view);
  return speaker === undefined || another !== undefined ? queue : setHolder(queue, speaker, view.nowMs);
}

function onDelegated(
  queue: SpeakerQueue,
  { event, sender }: PolicyInput & { kind: "delegated" },
  view: FloorView,
  rules: TurnRules,
): Step {
  switch (event.eventType) {
    case "requestFloor":
      return onRequestFloor(queue, { speakerUri: beneficiaryOf(event, sender, view), sender }, view, rules);
    case "grantFloor":
      return onGrantFloor(queue, event, sender, view, rules);
    case "utterance":
      return onUtterance(queue, event, sender, view);
    case "invite": {
      const events = approveInvite(event, view, (speakerUri) => isHolder(queue, speakerUri));
      const newcomer = events.length > 1 ? event.to?.speakerUri : undefined;
      return { queue: newcomer === undefined ? queue : noteRevoked(queue, newcomer, view.nowMs), events };
    }
    case "uninvite":
    case "revokeFloor":
      return removeByEvent(queue, event, sender, view);
    default:
      return { queue, events: [event] };
  }
}

type FloorRequest = { speakerUri: string; sender: string };

function onRequestFloor(
  queue: SpeakerQueue,
  { speakerUri, sender }: FloorRequest,
  view: FloorView,
  { ownerInterrupts }: TurnRules,
): Step {
  if (isHolder(queue, speakerUri)) return { queue: noteRegrant(queue, view.nowMs), events: [grant(speakerUri)] };
  const isOwners = isOwner(sender, view) && isOwner(speakerUri, view);
  if (isOwners && ownerInterrupts) return giveFloorNow(queue, speakerUri, view, [grant(speakerUri)]);
  const queued = enqueue(queue, speakerUri, view.nowMs);
  const next = isOwners ? moveToFront(queued, speakerUri) : queued;
  return { queue: next, events: [], notice: { speakerUri, text: floorInTurnText } };
}

const floorInTurnText = "You get the floor when it is your turn.";

/** Whispers the position to a person. */
function withNotice(queue: SpeakerQueue, notice: Step["notice"], view: FloorView) {
  const { speakerUri = "", text: details = "" } = notice ?? {};
  const position = positionOf(queue, speakerUri);
  if (position === -1) return { state: queue, events: [] };
  const text = `${position === 0 ? "You are next" : `You are number ${position + 1} in the queue`}. ${details}`;
  return notifyPerson(queue, speakerUri, text, view);
}

function onGrantFloor(
  queue: SpeakerQueue,
  event: EventOf<"grantFloor">,
  sender: string,
  view: FloorView,
  rules: TurnRules,
): Step {
  const target = conversantFor(view, event.to)?.speakerUri;
  if (target === undefined) return { queue, events: [] };
  // From other senders a grant is only a request.
  if (!isOwner(sender, view)) return onRequestFloor(queue, { speakerUri: target, sender }, view, rules);
  return giveFloorNow(queue, target, view, [event]);
}

/** By the owner's decision: the current speaker loses the floor, and the new one's held utterances follow the grant. */
function giveFloorNow(queue: SpeakerQueue, speakerUri: string, view: FloorView, grants: readonly FloorEvent[]): Step {
  const { holder } = queue;
  const held = queue.waiting[positionOf(queue, speakerUri)]?.utterances ?? [];
  const isTaken =
    holder !== undefined && !isSameUri(holder.speakerUri, speakerUri) && !isOwner(holder.speakerUri, view);
  const next = isTaken ? noteRevoked(queue, holder.speakerUri, view.nowMs) : queue;
  const why = isOwner(speakerUri, view) ? "the owner takes the floor" : "the owner gives the floor to another speaker";
  const taken = isTaken ? [revoke(holder.speakerUri, `@override ${why}`)] : [];
  return { queue: setHolder(next, speakerUri, view.nowMs), events: [...taken, ...grants, ...held] };
}

function onUtterance(queue: SpeakerQueue, event: EventOf<"utterance">, sender: string, view: FloorView): Step {
  const isFree = queue.holder === undefined && queue.waiting.length === 0;
  if (isFree || isPrivate(event) || isOwner(sender, view) || isHolder(queue, sender)) return { queue, events: [event] };
  const kept = holdUtterance(queue, sender, view.nowMs, event);
  if (kept !== undefined)
    return { queue: kept, events: [], notice: { speakerUri: sender, text: heldNotice(kept, sender) } };
  return { queue, events: [revoke(sender, "@brokenPolicy too much is waiting already")] };
}

/** A request and an utterance of one answer arrive within this time. */
const sameAnswerMs = 5_000;

function onObserved(queue: SpeakerQueue, { event, sender }: PolicyInput & { kind: "observed" }, view: FloorView): Step {
  if (isPublicUtterance(event) && isHolder(queue, sender)) return { queue: noteSpoken(queue), events: [] };
  const one =
    queue.waiting[positionOf(queue, event.eventType === "revokeFloor" ? (event.to?.speakerUri ?? "") : sender)];
  if (one === undefined) return { queue, events: [] };
  // D11: the floor itself refuses a request that is held for long. The speaker keeps its position, and a person is notified.
  if (event.eventType === "revokeFloor") {
    return { queue, events: [], notice: { speakerUri: one.speakerUri, text: floorInTurnText } };
  }
  const isHeard = isPublicUtterance(event) && !isGranted(sender, view) && view.nowMs - one.sinceMs < sameAnswerMs;
  if (!isHeard || one.utterances.length > 0 || conversantWith(view, sender)?.isPerson === true)
    return { queue, events: [] };
  // Q9: an addressed agent answers and requests the floor at once (D7); after its answer it has nothing more to say.
  return {
    queue: removeSpeaker(queue, sender),
    events: [revoke(sender, "answered: ask again when you have more to say")],
  };
}

/** Starts the next turn when there is no holder or the holder's turn is over. */
function advance(queue: SpeakerQueue, view: FloorView, turnMs: number): Step {
  const { nowMs } = view;
  let next = queue;
  const events: FloorEvent[] = [];
  const { holder } = next;
  const why = holder && next.waiting.length > 0 ? turnEndReason(holder, view, turnMs) : undefined;
  if (holder !== undefined && why !== undefined) {
    next = withoutHolder(next);
    if (!isOwner(holder.speakerUri, view)) {
      next = noteRevoked(next, holder.speakerUri, nowMs);
      events.push(revoke(holder.speakerUri, why));
    }
  }
  while (next.holder === undefined && events.length < eventsPerAdvanceMax) {
    const [first] = next.waiting;
    if (first === undefined) break;
    const { speakerUri, wantsFloor, utterances } = first;
    events.push(...(wantsFloor ? [grant(speakerUri)] : []), ...utterances);
    next = wantsFloor ? setHolder(next, speakerUri, nowMs) : removeSpeaker(next, speakerUri);
  }
  return { queue: next, events };
}

/** For when others wait; undefined while the turn goes on. */
function turnEndReason(
  { speakerUri, sinceMs, hasSpoken }: Holder,
  view: FloorView,
  turnMs: number,
): string | undefined {
  if (view.nowMs >= sinceMs + turnMs) return "@timedOut others are waiting";
  // Q11: agents rarely yield the floor after an answer.
  const hasAnswered = hasSpoken === true && conversantWith(view, speakerUri)?.isPerson === false;
  return hasAnswered && !isOwner(speakerUri, view) ? "answered: others are waiting" : undefined;
}

function wakeTime(queue: SpeakerQueue, view: FloorView, turnMs: number): number | undefined {
  const { holder, waiting } = queue;
  const soon = view.nowMs + soonMs;
  if (extrasIn(queue, view).length > 0) return soon;
  const again = nextCheckMs(queue, view);
  if (waiting.length === 0) return again;
  return holder === undefined ? soon : earlier(holder.sinceMs + turnMs, again);
}
