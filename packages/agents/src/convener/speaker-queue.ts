// The current speaker and the waiting speakers, in order. Follows what happens to them; policies decide who is next.
import { type EventOf, isSameUri } from "@plenary/protocol";
import { conversantFor, conversantWith, isGranted, leaverIn } from "./floor-view.ts";
import type { FloorView, PolicyInput } from "./policy.ts";

type QueuedSpeaker = {
  speakerUri: string;
  sinceMs: number;
  /** False: the speaker only waits for its held utterances to be delivered. */
  wantsFloor: boolean;
  /** Said without the floor, held until the speaker's turn. */
  utterances: readonly EventOf<"utterance">[];
};

export type SpeakerQueue = {
  holder?: Holder;
  waiting: readonly QueuedSpeaker[];
  /** Speakers whose floor the convener revoked a moment ago: envelopes under way may still show them with the floor. */
  recentlyRevoked: readonly SpeakerSince[];
  /** Speakers who may still have the floor: the event that ended their turn may be older than the grant. */
  uncertain: readonly SpeakerSince[];
  /** Makes the ids of whispers unique. */
  whisperCount: number;
};

export type Holder = {
  speakerUri: string;
  /** When its turn began. */
  sinceMs: number;
  /** When the convener last granted it the floor. */
  grantedMs: number;
  /** True if it may have had the floor before the grant: an envelope that shows it with the floor proves nothing then. */
  heldBefore: boolean;
  /** An envelope from after the grant shows it with the floor. */
  isConfirmed: boolean;
  /** It has spoken in this turn. */
  hasSpoken?: true;
};

type SpeakerSince = { speakerUri: string; atMs: number };

export const emptyQueue: SpeakerQueue = { waiting: [], recentlyRevoked: [], uncertain: [], whisperCount: 0 };

/** The maximum number of conversants on a floor. */
const waitingMax = 64;
const heldMax = 8;
export const heldCharsMax = 64_000;

/** For this long an envelope may be older than the convener's last ruling. */
export const staleMs = 5_000;

export function isHolder({ holder }: SpeakerQueue, speakerUri: string): boolean {
  return holder !== undefined && isSameUri(holder.speakerUri, speakerUri);
}

export function positionOf({ waiting }: SpeakerQueue, speakerUri: string): number {
  return waiting.findIndex((one) => isSameUri(one.speakerUri, speakerUri));
}

/**
 * Applies an input to the queue: departures, lost floors, absent speakers. The floor is the authority and reports events in
 * order, but envelopes that were under way at the last ruling do not reflect it.
 */
export function refreshQueue(queue: SpeakerQueue, input: PolicyInput, view: FloorView): SpeakerQueue {
  const leaver = leaverIn(input, view);
  const formerSpeaker = formerSpeakerIn(input, view.self);
  let next = confirmHolder(withoutOutdated(queue, input, view), input, view);
  if (leaver !== undefined) next = forgetSpeaker(next, leaver);
  if (formerSpeaker !== undefined && isHolder(next, formerSpeaker)) next = dropHolder(next, view);
  return withoutAbsent(next, input, view);
}

/** Drops notes that the view has confirmed. */
function withoutOutdated(queue: SpeakerQueue, input: PolicyInput, view: FloorView): SpeakerQueue {
  const wasGranted = (one: string) => isSameUri(one, grantedWithoutConvener(input, view) ?? "");
  const recentlyRevoked = queue.recentlyRevoked.filter((one) => isStillShown(one, view) && !wasGranted(one.speakerUri));
  const isOpen = ({ speakerUri, atMs }: SpeakerSince) => isGranted(speakerUri, view) || view.nowMs - atMs < staleMs;
  const uncertain = view.isPredicted === true ? queue.uncertain : queue.uncertain.filter(isOpen);
  return { ...queue, recentlyRevoked, uncertain };
}

/** True while envelopes may still show a revoked speaker with the floor. */
export function isStillShown({ speakerUri, atMs }: SpeakerSince, view: FloorView): boolean {
  return view.nowMs - atMs < staleMs && (view.isPredicted === true || isGranted(speakerUri, view));
}

/** The target of a grant that the floor made itself because the convener did not answer in time. */
function grantedWithoutConvener(input: PolicyInput, view: FloorView): string | undefined {
  if (input.kind !== "observed" || input.event.eventType !== "grantFloor") return undefined;
  return conversantFor(view, input.event.to)?.speakerUri;
}

function confirmHolder(queue: SpeakerQueue, { kind }: PolicyInput, view: FloorView): SpeakerQueue {
  const { holder } = queue;
  if (holder === undefined || holder.isConfirmed || kind === "timer" || view.isPredicted === true) return queue;
  const isConfirmed = !holder.heldBefore && isGranted(holder.speakerUri, view);
  return isConfirmed ? { ...queue, holder: { ...holder, isConfirmed } } : queue;
}

/** If the event that ends the turn may be older than the grant, the speaker may still have the floor. */
function dropHolder(queue: SpeakerQueue, { nowMs }: FloorView): SpeakerQueue {
  const { holder } = queue;
  if (holder === undefined) return queue;
  const isCertain = holder.isConfirmed || nowMs - holder.grantedMs >= staleMs;
  return isCertain ? withoutHolder(queue) : noteUncertain(withoutHolder(queue), holder.speakerUri, nowMs);
}

function withoutAbsent(queue: SpeakerQueue, { kind }: PolicyInput, view: FloorView): SpeakerQueue {
  const { nowMs } = view;
  const isGone = (speakerUri: string, sinceMs: number) =>
    nowMs - sinceMs >= staleMs && conversantWith(view, speakerUri) === undefined;
  const waiting = queue.waiting.filter(({ speakerUri, sinceMs }) => !isGone(speakerUri, sinceMs));
  const next = { ...queue, waiting };
  const { holder } = next;
  // A timer brings no news of the floor.
  if (holder === undefined || kind === "timer" || nowMs - holder.grantedMs < staleMs) return next;
  // The floor may have refused the grant.
  return isGranted(holder.speakerUri, view) ? next : noteUncertain(withoutHolder(next), holder.speakerUri, nowMs);
}

/** Who lost the floor by an observed event of another sender. The queue reflects the convener's own events already. */
export function formerSpeakerIn(input: PolicyInput, self: string): string | undefined {
  if (input.kind !== "observed" || isSameUri(input.sender, self)) return undefined;
  const { event, sender } = input;
  if (event.eventType === "yieldFloor") return sender;
  return event.eventType === "revokeFloor" ? event.to?.speakerUri : undefined;
}

export function withoutHolder(queue: SpeakerQueue): SpeakerQueue {
  const { holder: _, ...rest } = queue;
  return rest;
}

export function removeSpeaker(queue: SpeakerQueue, speakerUri: string): SpeakerQueue {
  const waiting = queue.waiting.filter((one) => !isSameUri(one.speakerUri, speakerUri));
  const next = waiting.length === queue.waiting.length ? queue : { ...queue, waiting };
  return isHolder(next, speakerUri) ? withoutHolder(next) : next;
}

/** For a speaker who left: joining again gives the floor, so old notes no longer apply. */
export function forgetSpeaker(queue: SpeakerQueue, speakerUri: string): SpeakerQueue {
  return removeSpeaker({ ...queue, ...withoutNotesOn(queue, speakerUri) }, speakerUri);
}

export function noteRevoked(queue: SpeakerQueue, speakerUri: string, atMs: number): SpeakerQueue {
  const { recentlyRevoked, uncertain } = withoutNotesOn(queue, speakerUri);
  return { ...queue, uncertain, recentlyRevoked: [...recentlyRevoked, { speakerUri, atMs }].slice(-waitingMax) };
}

function noteUncertain(queue: SpeakerQueue, speakerUri: string, atMs: number): SpeakerQueue {
  const { recentlyRevoked, uncertain } = withoutNotesOn(queue, speakerUri);
  return { ...queue, recentlyRevoked, uncertain: [...uncertain, { speakerUri, atMs }].slice(-waitingMax) };
}

function withoutNotesOn(
  { recentlyRevoked, uncertain }: SpeakerQueue,
  speakerUri: string,
): Pick<SpeakerQueue, "recentlyRevoked" | "uncertain"> {
  const isOther = (one: SpeakerSince) => !isSameUri(one.speakerUri, speakerUri);
  return { recentlyRevoked: recentlyRevoked.filter(isOther), uncertain: uncertain.filter(isOther) };
}

export function isRecentlyRevoked({ recentlyRevoked }: SpeakerQueue, speakerUri: string): boolean {
  return recentlyRevoked.some((one) => isSameUri(one.speakerUri, speakerUri));
}

export function setHolder(queue: SpeakerQueue, speakerUri: string, sinceMs: number): SpeakerQueue {
  const isThis = (one: SpeakerSince) => isSameUri(one.speakerUri, speakerUri);
  const heldBefore = isHolder(queue, speakerUri) || queue.recentlyRevoked.some(isThis) || queue.uncertain.some(isThis);
  return {
    ...forgetSpeaker(queue, speakerUri),
    holder: { speakerUri, sinceMs, grantedMs: sinceMs, heldBefore, isConfirmed: false },
  };
}

/** The holder is granted the floor again, in the same turn. */
export function noteRegrant(queue: SpeakerQueue, grantedMs: number): SpeakerQueue {
  const { holder } = queue;
  return holder === undefined
    ? queue
    : { ...queue, holder: { ...holder, grantedMs, heldBefore: true, isConfirmed: false } };
}

export function noteSpoken(queue: SpeakerQueue): SpeakerQueue {
  return queue.holder === undefined ? queue : { ...queue, holder: { ...queue.holder, hasSpoken: true } };
}

export function restartTurn(queue: SpeakerQueue, sinceMs: number): SpeakerQueue {
  return queue.holder === undefined ? queue : { ...queue, holder: { ...queue.holder, sinceMs } };
}

/** At the end; a speaker who waits already keeps the position. */
export function enqueue(queue: SpeakerQueue, speakerUri: string, sinceMs: number): SpeakerQueue {
  const at = positionOf(queue, speakerUri);
  const before = queue.waiting[at];
  if (before !== undefined) return { ...queue, waiting: queue.waiting.with(at, { ...before, wantsFloor: true }) };
  return append(queue, { speakerUri, sinceMs, wantsFloor: true, utterances: [] });
}

/** Holds an utterance without the floor until the speaker's turn. Undefined when too much is held already. */
export function holdUtterance(
  queue: SpeakerQueue,
  speakerUri: string,
  sinceMs: number,
  utterance: EventOf<"utterance">,
): SpeakerQueue | undefined {
  const at = positionOf(queue, speakerUri);
  const before = queue.waiting[at] ?? { speakerUri, sinceMs, wantsFloor: false, utterances: [] };
  const utterances = [...before.utterances, asSpokenBy(utterance, speakerUri)];
  if (utterances.length > heldMax || utterances.reduce((sum, one) => sum + charsIn(one), 0) > heldCharsMax)
    return undefined;
  const kept = { ...before, utterances };
  if (at !== -1) return { ...queue, waiting: queue.waiting.with(at, kept) };
  return queue.waiting.length < waitingMax ? append(queue, kept) : undefined;
}

/** The count varies the text: a floor treats identical utterances in a row as a loop. */
export function heldNotice(queue: SpeakerQueue, speakerUri: string): string {
  const { length } = queue.waiting[positionOf(queue, speakerUri)]?.utterances ?? [];
  const held = length > 1 ? `Your ${length} messages` : "Your message";
  return `${held} will be shown when it is your turn.`;
}

/** Includes attachments. */
export function charsIn({ parameters }: EventOf<"utterance">): number {
  return JSON.stringify(parameters.dialogEvent).length;
}

/** The convener delivers the utterance later. The speakerUri becomes the sender's, against impersonation. */
export function asSpokenBy(said: EventOf<"utterance">, speakerUri: string): EventOf<"utterance"> {
  const { dialogEvent } = said.parameters;
  if (dialogEvent.speakerUri === speakerUri) return said;
  return { ...said, parameters: { ...said.parameters, dialogEvent: { ...dialogEvent, speakerUri } } };
}

function append(queue: SpeakerQueue, newcomer: QueuedSpeaker): SpeakerQueue {
  return queue.waiting.length < waitingMax ? { ...queue, waiting: [...queue.waiting, newcomer] } : queue;
}

export function moveToFront(queue: SpeakerQueue, speakerUri: string): SpeakerQueue {
  const at = positionOf(queue, speakerUri);
  const first = queue.waiting[at];
  if (first === undefined) return queue;
  return { ...queue, waiting: [first, ...queue.waiting.toSpliced(at, 1)] };
}
