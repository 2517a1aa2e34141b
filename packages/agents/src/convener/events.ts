import {
  type EventOf,
  type Feature,
  type FloorEvent,
  grantFloor,
  isSameUri,
  revokeFloor,
  textUtterance,
} from "@plenary/protocol";
import { conversantFor, conversantWith, isOwner } from "./floor-view.ts";
import type { FloorView } from "./policy.ts";

export const grant = (speakerUri: string) => grantFloor({ to: { speakerUri } });

export const revoke = (speakerUri: string, reason: string) => revokeFloor({ to: { speakerUri }, reason });

type WhisperOptions = { to: string; text: string; features?: Record<string, Feature> };

/** `count` makes the id unique among whispers of the same millisecond: each policy counts its whispers. */
export function whisper(
  { nowMs, self }: FloorView,
  count: number,
  { to, text, features }: WhisperOptions,
): EventOf<"utterance"> {
  return textUtterance(text, {
    speakerUri: self,
    id: `de:chair-${nowMs.toString(36)}-${count}`,
    startTime: new Date(nowMs).toISOString(),
    to: { speakerUri: to, private: true },
    ...(features && { features }),
  });
}

/** Whispers to a person; not to an agent, which would answer. The state counts the whispers. */
export function notifyPerson<State extends { whisperCount: number }>(
  state: State,
  to: string,
  text: string,
  view: FloorView,
): { state: State; events: FloorEvent[] } {
  if (conversantWith(view, to)?.isPerson !== true) return { state, events: [] };
  const { whisperCount } = state;
  return { state: { ...state, whisperCount: whisperCount + 1 }, events: [whisper(view, whisperCount, { to, text })] };
}

/** One line, short enough to be quoted to another conversant. */
export function quoted(text: string, charsMax = 200): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1)}…`;
}

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

/**
 * Approves an uninvite or revokeFloor, for policies that manage the floor: only the owner may revoke the floor of another
 * conversant. The floor does not report an approved event back, so the policy notes its `target` itself.
 */
export function approveRemoval(event: FloorEvent, sender: string, view: FloorView) {
  const target = conversantFor(view, event.to)?.speakerUri;
  const isOwn = target !== undefined && isSameUri(target, sender);
  const isAllowed =
    event.eventType === "uninvite" ? approveIfAllowed(event, sender, view).length > 0 : isOwn || isOwner(sender, view);
  return isAllowed ? { events: [event], target } : { events: [] };
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
