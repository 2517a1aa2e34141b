import type { ConversantView, ConversationView } from "@plenary/client";
import type { Texts } from "../texts/en.ts";

/** What a person can do with a conversant. */
export type ConversantAction = keyof Texts["conversants"]["actions"];

/**
 * Actions that make sense and that the guarded policy (D13) allows: the owner may do anything to others; other people
 * neither remove nor silence people or the convener, and guests neither remove nor silence agents of the owner.
 */
export function allowedActions(
  view: ConversationView,
  me: string,
  speakerUri: string,
  isGuest = false,
): ConversantAction[] {
  const own = conversantOf(view, me);
  const other = conversantOf(view, speakerUri);
  if (view.isClosed || own?.state !== "joined" || other === undefined || speakerUri === me) return [];
  const isOwner = view.owner === me;
  const isConvener = convenerOf(view) === speakerUri;
  const isArchivist = rolesOf(view, speakerUri).includes("archivist");
  const isJoined = other.state === "joined";
  const isProtected = other.kind === "person" || isConvener || isProtectedByOwner(view, me, speakerUri, isGuest);
  const mayRemove = isOwner || (!isProtected && view.owner !== speakerUri);
  const offers: readonly [ConversantAction, boolean][] = [
    ["mention", isJoined],
    ["whisper", isJoined],
    ["grant", isJoined && !other.hasFloor],
    ["revoke", isJoined && other.hasFloor && mayRemove],
    ["appoint", isOwner && !isConvener && canConvene(other)],
    ["dismiss", isOwner && isConvener],
    ["archive", isOwner && isJoined && !isArchivist && other.identification.openFloorRoles?.archivist === true],
    ["unarchive", isOwner && isArchivist],
    ["remove", mayRemove],
  ];
  return offers.flatMap(([offer, isOffered]) => (isOffered ? [offer] : []));
}

/** Whether the policy keeps a guest from removing or silencing this agent, because the owner brought it (D13'). */
export function isProtectedByOwner(view: ConversationView, me: string, speakerUri: string, isGuest: boolean): boolean {
  const { owner, options } = view;
  const other = conversantOf(view, speakerUri);
  if (!isGuest || owner === me || other?.kind !== "agent" || convenerOf(view) === speakerUri) return false;
  if (options.policy === "spec" || options.guestsMay === "moderate") return false;
  const { invitedBy } = other;
  // An inviter who is not listed is the floor, which invites for the owner.
  return invitedBy === undefined || invitedBy === owner || conversantOf(view, invitedBy) === undefined;
}

export function conversantOf(view: ConversationView, speakerUri: string): ConversantView | undefined {
  return view.conversants.find((one) => one.identification.speakerUri === speakerUri);
}

export function convenerOf(view: ConversationView): string | undefined {
  return view.assignedFloorRoles.convener?.[0];
}

/** Names of a conversant's roles. */
export function rolesOf({ assignedFloorRoles }: ConversationView, speakerUri: string): string[] {
  return Object.entries(assignedFloorRoles).flatMap(([role, who]) => (who.includes(speakerUri) ? [role] : []));
}

/** A joined agent that offers to convene. */
export function canConvene({ kind, state, identification }: ConversantView): boolean {
  return kind === "agent" && state === "joined" && identification.openFloorRoles?.convener === true;
}
