import { type FloorEvent, isSameUri } from "@plenary/protocol";
import { revoke } from "./events.ts";
import { conversantFor, isOwner } from "./floor-view.ts";
import type { FloorView } from "./policy.ts";

/**
 * Approves an uninvite or revokeFloor if the sender may do it without a convener (C6, C7); an empty list drops it. The floor
 * checks an approved event against the convener's rights, so the sender's rights are checked here.
 */
export function approveIfAllowed(event: FloorEvent, sender: string, view: FloorView): readonly FloorEvent[] {
  // M8: without an owner all conversants have equal rights, and the table of spec 2.2 lets such events pass.
  const isFree = view.owner === undefined;
  return isFree || isOwner(sender, view) || mayActOn(event, sender, view) ? [event] : [];
}

function mayActOn({ to }: FloorEvent, sender: string, view: FloorView): boolean {
  const target = conversantFor(view, to);
  if (target === undefined) return false;
  if (isSameUri(target.speakerUri, sender)) return true;
  return !target.isPerson && !isOwner(target.speakerUri, view);
}

/** For policies that manage the floor: only the owner may revoke the floor of another conversant. */
export function approveRevoke(event: FloorEvent, sender: string, view: FloorView): readonly FloorEvent[] {
  const target = conversantFor(view, event.to);
  const isOwn = target !== undefined && isSameUri(target.speakerUri, sender);
  return isOwn || isOwner(sender, view) ? [event] : [];
}

/** Joining gives the floor (spec 2.2). A policy that manages the floor takes it back in the same answer (C8). */
export function approveInvite(
  event: FloorEvent,
  view: FloorView,
  mayKeep: (speakerUri: string) => boolean,
): FloorEvent[] {
  const { to } = event;
  if (to === undefined) return [event];
  const present = conversantFor(view, to);
  const speakerUri = present?.speakerUri ?? to.speakerUri;
  if (speakerUri !== undefined && (isOwner(speakerUri, view) || mayKeep(speakerUri))) return [event];
  if (speakerUri !== undefined) return [event, revoke(speakerUri, waitReason)];
  return [event, { eventType: "revokeFloor", to: { serviceUrl: to.serviceUrl ?? "" }, reason: waitReason }];
}

const waitReason = "please ask for the floor before you speak";
