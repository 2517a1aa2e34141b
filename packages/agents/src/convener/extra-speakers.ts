// Enforces one speaker at a time, for the queue and round-robin policies.
import { type FloorEvent, isSameUri } from "@plenary/protocol";
import { approveRemoval, revoke } from "./events.ts";
import { conversantWith, isOwner, speakersIn } from "./floor-view.ts";
import type { FloorView } from "./policy.ts";
import {
  forgetSpeaker,
  isHolder,
  isRecentlyRevoked,
  noteRevoked,
  type SpeakerQueue,
  staleMs,
  withoutHolder,
} from "./speaker-queue.ts";

// Leaves room in the 32 events of an answer (`eventsMax`) for the rulings on `appointed` and `timer`.
export const revokedAtOnceMax = 12;

/** Approves an uninvite or revokeFloor, and notes it in the queue. */
export function removeByEvent(queue: SpeakerQueue, event: FloorEvent, sender: string, view: FloorView) {
  const { events, target } = approveRemoval(event, sender, view);
  if (target === undefined) return { queue, events };
  if (event.eventType === "uninvite") return { queue: forgetSpeaker(queue, target), events };
  return { queue: noteRevoked(isHolder(queue, target) ? withoutHolder(queue) : queue, target, view.nowMs), events };
}

/** Delay before the next answer when one answer was not enough. */
export const soonMs = 250;

/** C12: revokes the floor of everyone but the holder. Guests who join by a link get the floor without the convener. */
export function revokeExtras(
  queue: SpeakerQueue,
  view: FloorView,
  why: string,
): { queue: SpeakerQueue; events: FloorEvent[] } {
  const taken = extrasIn(queue, view).slice(0, revokedAtOnceMax);
  return {
    queue: taken.reduce((before, one) => noteRevoked(before, one, view.nowMs), queue),
    events: taken.map((one) => revoke(one, why)),
  };
}

export function extrasIn(queue: SpeakerQueue, view: FloorView): string[] {
  const shown = speakersIn(view).filter((one) => !isRecentlyRevoked(queue, one));
  return [...new Set([...shown, ...uncertainIn(queue, view)])].filter((one) => !isHolder(queue, one));
}

/** Empty without a holder: an extra speaker is harmless while no other speaker has the floor. */
function uncertainIn({ holder, uncertain }: SpeakerQueue, view: FloorView): string[] {
  if (holder === undefined) return [];
  const here = uncertain.filter(({ speakerUri }) => conversantWith(view, speakerUri) !== undefined);
  return here.map(({ speakerUri }) => speakerUri).filter((one) => !isOwner(one, view));
}

/**
 * When to check again, if the floor shows two speakers and the convener has revoked one of them: after `staleMs` the view
 * is newer than that ruling, and the convener revokes again. That check sets no further time.
 */
export function nextCheckMs(queue: SpeakerQueue, view: FloorView): number | undefined {
  const speakers = speakersIn(view);
  if (speakers.length < 2) return undefined;
  const isShown = (speakerUri: string) => speakers.some((one) => isSameUri(one, speakerUri));
  const [first] = queue.recentlyRevoked.filter(({ speakerUri, atMs }) => atMs < view.nowMs && isShown(speakerUri));
  return first && first.atMs + staleMs;
}

export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
