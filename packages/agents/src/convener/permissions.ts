import { type FloorEvent, isSameUri } from "@plenary/protocol";
import { revoke } from "./events.ts";
import { conversantFor, isOwner } from "./floor-view.ts";
import type { Sight } from "./policy.ts";

/**
 * What every convener does with an event against somebody (C6, C7). Returned, it is approved; nothing drops it. A floor
 * judges what a convener approves by the convener's own rights, so it approves no more than the sender could do alone.
 */
export function consentTo(event: FloorEvent, sender: string, sight: Sight): readonly FloorEvent[] {
  // M8: a floor that names no owner gives nobody more rights than others; the table of 2.2 lets such events pass.
  const isFree = sight.owner === undefined;
  return isFree || isOwner(sender, sight) || mayTouch(event, sender, sight) ? [event] : [];
}

function mayTouch({ to }: FloorEvent, sender: string, sight: Sight): boolean {
  const target = conversantFor(sight, to);
  if (target === undefined) return false;
  if (isSameUri(target.speakerUri, sender)) return true;
  return !target.isPerson && !isOwner(target.speakerUri, sight);
}

/** Only oneself, unless one owns the conversation: where floor rights are the convener's, others do not take them. */
export function consentToRevoke(event: FloorEvent, sender: string, sight: Sight): readonly FloorEvent[] {
  const target = conversantFor(sight, event.to);
  const isOwn = target !== undefined && isSameUri(target.speakerUri, sender);
  return isOwn || isOwner(sender, sight) ? [event] : [];
}

/** Joining gives the floor (spec 2.2), so where the convener gives it, it is taken back in the same answer (C8). */
export function admit(event: FloorEvent, sight: Sight, mayKeep: (speakerUri: string) => boolean): FloorEvent[] {
  const { to } = event;
  if (to === undefined) return [event];
  const present = conversantFor(sight, to);
  const speakerUri = present?.speakerUri ?? to.speakerUri;
  if (speakerUri !== undefined && (isOwner(speakerUri, sight) || mayKeep(speakerUri))) return [event];
  if (speakerUri !== undefined) return [event, revoke(speakerUri, waitReason)];
  return [event, { eventType: "revokeFloor", to: { serviceUrl: to.serviceUrl ?? "" }, reason: waitReason }];
}

const waitReason = "here one asks for the floor before one speaks";
