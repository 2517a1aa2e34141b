// What every chair with one speaker at a time does to its line.
import { type FloorEvent, isSameUri } from "@plenary/protocol";
import { revoke } from "./events.ts";
import { conversantFor, conversantNamed, isOwner, speakersIn } from "./floor-view.ts";
import type { Sight } from "./policy.ts";
import { forget, free, isHolder, isSettled, type Line, settle, staleMs } from "./speaker-queue.ts";

// A floor takes 32 events in one answer, and the answer may begin with the rulings on taking the chair and on the time.
export const takenMax = 12;

/** An uninvite or revokeFloor that is approved does not come back to the convener, so it counts as done. */
export function afterApproval(line: Line, event: FloorEvent, approved: readonly FloorEvent[], sight: Sight): Line {
  const target = approved.length === 0 ? undefined : conversantFor(sight, event.to)?.speakerUri;
  if (target === undefined) return line;
  if (event.eventType === "uninvite") return forget(line, target);
  return settle(isHolder(line, target) ? free(line) : line, target, sight.nowMs);
}

/** When what does not fit into one answer follows: once the floor has taken the answer. */
export const soonMs = 250;

/** C12: whoever else has the floor loses it. Some come in without asking the convener. */
export function withoutExtras(line: Line, sight: Sight, why: string): { line: Line; events: FloorEvent[] } {
  const taken = extrasIn(line, sight).slice(0, takenMax);
  return {
    line: taken.reduce((before, one) => settle(before, one, sight.nowMs), line),
    events: taken.map((one) => revoke(one, why)),
  };
}

export function extrasIn(line: Line, sight: Sight): string[] {
  const shown = speakersIn(sight).filter((one) => !isSettled(line, one));
  return [...new Set([...shown, ...doubtedIn(line, sight)])].filter((one) => !isHolder(line, one));
}

/** As long as nobody else speaks, it does no harm if they have the floor. */
function doubtedIn({ holder, doubted }: Line, sight: Sight): string[] {
  if (holder === undefined) return [];
  const here = doubted.filter(({ speakerUri }) => conversantNamed(sight, speakerUri) !== undefined);
  return here.map(({ speakerUri }) => speakerUri).filter((one) => !isOwner(one, sight));
}

/**
 * When to look again, once envelopes can be no older than the ruling: two are told to have the floor, and one of them is
 * believed to have lost it. By then it is taken once more, and no time is set again before something else is heard.
 */
export function lookAgainMs(line: Line, sight: Sight): number | undefined {
  const speakers = speakersIn(sight);
  if (speakers.length < 2) return undefined;
  const isShown = (speakerUri: string) => speakers.some((one) => isSameUri(one, speakerUri));
  const [first] = line.settled.filter(({ speakerUri, atMs }) => atMs < sight.nowMs && isShown(speakerUri));
  return first && first.atMs + staleMs;
}

/** The earlier of two times, of which either may be missing. */
export function sooner(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
