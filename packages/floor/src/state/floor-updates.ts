import { isSameUri } from "@plenary/protocol";
import type { ReboundEntry } from "../entry.ts";
import { type Floor, type Move, type Next, type Seat, seatOf } from "../floor.ts";
import { settle, withoutRecipient } from "./open-deliveries.ts";

export function seat(next: Next, newcomer: Seat): void {
  const at = placeOf(next, newcomer.identification.speakerUri);
  next.conversants = at === -1 ? [...next.conversants, newcomer] : next.conversants.with(at, newcomer);
}

export function changeSeat(next: Next, speakerUri: string, change: Partial<Seat>): void {
  const at = placeOf(next, speakerUri);
  const before = next.conversants[at];
  if (before !== undefined) next.conversants = next.conversants.with(at, { ...before, ...change });
}

function placeOf(next: Next, speakerUri: string): number {
  return next.conversants.findIndex((one) => one.identification.speakerUri === speakerUri);
}

/** Gone from conversants, floorGranted and every role at once, with all that was open for it. */
export function unseat(next: Next, speakerUri: string): void {
  revoke(next, speakerUri);
  next.conversants = next.conversants.filter((one) => one.identification.speakerUri !== speakerUri);
  next.roles = withoutRoles(next.roles, speakerUri);
  next.open = withoutRecipient(next.open, speakerUri);
  next.held = next.held.filter((one) => one.speakerUri !== speakerUri);
  next.attention = withoutMember(next.attention, speakerUri);
  next.aliases = keep(next.aliases, (name) => name !== speakerUri);
  next.persistentState = keep(next.persistentState, ({ by }) => by !== speakerUri);
  next.conversantState = keep(next.conversantState, (_value, by) => by !== speakerUri);
}

export function grant(next: Next, speakerUri: string): void {
  next.floorGranted = withMember(next.floorGranted, speakerUri);
  next.told = withoutMember(next.told, speakerUri);
  answerRequest(next, speakerUri);
}

export function revoke(next: Next, speakerUri: string): void {
  next.floorGranted = withoutMember(next.floorGranted, speakerUri);
  next.told = withoutMember(next.told, speakerUri);
}

/** It was given or refused the floor, so its request waits no longer. */
export function answerRequest(next: Next, speakerUri: string): void {
  if (next.held.length > 0) next.held = next.held.filter((one) => one.speakerUri !== speakerUri);
}

export function attend(next: Next, speakerUri: string): void {
  const isAgent = next.conversants[placeOf(next, speakerUri)]?.kind === "agent";
  if (isAgent && next.attention[0] !== speakerUri) {
    next.attention = [speakerUri, ...withoutMember(next.attention, speakerUri)];
  }
}

export function assign(next: Next, role: string, speakerUri: string | undefined): void {
  const { [role]: _, ...others } = next.roles;
  next.roles = speakerUri === undefined ? others : { ...others, [role]: [speakerUri] };
}

/** One of those who have a role, more or less. */
export function changeRole(next: Next, role: string, speakerUri: string, isAdded: boolean): void {
  const before = Object.hasOwn(next.roles, role) ? (next.roles[role] ?? []) : [];
  const { [role]: _, ...others } = next.roles;
  const members = isAdded ? withMember(before, speakerUri) : withoutMember(before, speakerUri);
  next.roles = members.length === 0 ? others : { ...others, [role]: [...members] };
}

/** Approvals that a floor remembers. */
export const bindingsMax = 256;

/** The newest approval of a name is its only one; the oldest give way. */
function bind(next: Next, speakerUri: string, serviceUrl: string): void {
  const others = Object.entries(next.bindings).filter(([name]) => !isSameUri(name, speakerUri));
  next.bindings = Object.fromEntries([...others, [speakerUri, serviceUrl]].slice(-bindingsMax));
}

/** Requests that a floor remembers. */
const movesMax = 16;

/** The newest request of a name is its only one; the oldest give way. */
export function requestMove(next: Next, move: Move | undefined): void {
  if (move === undefined) return;
  next.moves = [...otherMoves(next, move.speakerUri), move].slice(-movesMax);
}

export function settleMove(next: Next, speakerUri: string): void {
  if (next.moves !== undefined) next.moves = otherMoves(next, speakerUri);
}

function otherMoves({ moves = [] }: Next, speakerUri: string): Move[] {
  return moves.filter((one) => !isSameUri(one.speakerUri, speakerUri));
}

/** What is known of where a name is, and the seat that it has, follow. */
export function rebind(next: Next, { speakerUri, serviceUrl, aborts, replaces, seq }: ReboundEntry): void {
  bind(next, speakerUri, serviceUrl);
  settleMove(next, speakerUri);
  settle(next, aborts);
  if (replaces !== undefined) takeOver(next, replaces, speakerUri);
  const seated = seatOf(next, speakerUri);
  if (seated === undefined) return;
  changeSeat(next, speakerUri, { identification: { ...seated.identification, serviceUrl }, movedAt: seq });
}

/** What was on its way to one seat is answered by the other, which stays. */
function takeOver(next: Next, from: string, to: string): void {
  next.open = next.open.map((one) => (one.to === from ? { ...one, to } : one));
  unseat(next, from);
}

/** Every place that knew it by the old name knows it by the new one. */
export function rename(next: Next, from: string, to: string, identification: Seat["identification"]): void {
  const other = (name: string) => (name === from ? to : name);
  next.conversants = next.conversants.map((one) => {
    if (one.identification.speakerUri !== from) return one;
    const { isProvisional: _, ...rest } = one;
    return { ...rest, identification };
  });
  next.floorGranted = next.floorGranted.map(other);
  next.told = next.told.map(other);
  next.attention = next.attention.map(other);
  next.roles = Object.fromEntries(Object.entries(next.roles).map(([role, members]) => [role, members.map(other)]));
  next.open = next.open.map((one) => ({
    ...one,
    to: other(one.to),
    ...(one.asker && { asker: other(one.asker) }),
    ...(one.also && { also: one.also.map((sharer) => ({ ...sharer, to: other(sharer.to) })) }),
  }));
  next.parked = next.parked.map((one) => ({ ...one, sender: other(one.sender) }));
  next.held = next.held.map((one) => ({ ...one, speakerUri: other(one.speakerUri) }));
  next.aliases = {
    ...Object.fromEntries(Object.entries(next.aliases).map(([old, name]) => [old, other(name)])),
    [from]: to,
  };
}

export function withMember(list: readonly string[], member: string): readonly string[] {
  return list.includes(member) ? list : [...list, member];
}

function withoutMember(list: readonly string[], member: string): readonly string[] {
  return list.includes(member) ? list.filter((one) => one !== member) : list;
}

function withoutRoles(roles: Floor["roles"], speakerUri: string): Floor["roles"] {
  return Object.fromEntries(
    Object.entries(roles)
      .map(([role, members]) => [role, members.filter((one) => one !== speakerUri)] as const)
      .filter(([, members]) => members.length > 0),
  );
}

function keep<T>(record: Readonly<Record<string, T>>, isKept: (value: T, key: string) => boolean) {
  const kept = Object.entries(record).filter(([key, value]) => isKept(value, key));
  return Object.fromEntries(kept);
}
