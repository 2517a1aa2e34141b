import { isSameUri } from "@plenary/protocol";
import type { ReboundEntry } from "../entry.ts";
import { type AddressChange, type Floor, type NextFloor, type Seat, seatOf } from "../floor.ts";
import { closeDeliveries, withoutRecipient } from "./open-deliveries.ts";

export function seat(next: NextFloor, newcomer: Seat): void {
  const at = placeOf(next, newcomer.identification.speakerUri);
  next.conversants = at === -1 ? [...next.conversants, newcomer] : next.conversants.with(at, newcomer);
}

export function changeSeat(next: NextFloor, speakerUri: string, change: Partial<Seat>): void {
  const at = placeOf(next, speakerUri);
  const before = next.conversants[at];
  if (before !== undefined) next.conversants = next.conversants.with(at, { ...before, ...change });
}

function placeOf(next: NextFloor, speakerUri: string): number {
  return next.conversants.findIndex((one) => one.identification.speakerUri === speakerUri);
}

/** Removes a conversant from every list at once, with its open deliveries and requests. */
export function unseat(next: NextFloor, speakerUri: string): void {
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

export function grant(next: NextFloor, speakerUri: string): void {
  next.floorGranted = withMember(next.floorGranted, speakerUri);
  next.told = withoutMember(next.told, speakerUri);
  answerRequest(next, speakerUri);
}

export function revoke(next: NextFloor, speakerUri: string): void {
  next.floorGranted = withoutMember(next.floorGranted, speakerUri);
  next.told = withoutMember(next.told, speakerUri);
}

/** The request for the floor was answered. */
export function answerRequest(next: NextFloor, speakerUri: string): void {
  if (next.held.length > 0) next.held = next.held.filter((one) => one.speakerUri !== speakerUri);
}

export function focusOn(next: NextFloor, speakerUri: string): void {
  const isAgent = next.conversants[placeOf(next, speakerUri)]?.kind === "agent";
  if (isAgent && next.attention[0] !== speakerUri) {
    next.attention = [speakerUri, ...withoutMember(next.attention, speakerUri)];
  }
}

export function assign(next: NextFloor, role: string, speakerUri: string | undefined): void {
  const { [role]: _, ...others } = next.roles;
  next.roles = speakerUri === undefined ? others : { ...others, [role]: [speakerUri] };
}

/** Adds or removes one member of a role. */
export function changeRole(next: NextFloor, role: string, speakerUri: string, isAdded: boolean): void {
  const before = Object.hasOwn(next.roles, role) ? (next.roles[role] ?? []) : [];
  const { [role]: _, ...others } = next.roles;
  const members = isAdded ? withMember(before, speakerUri) : withoutMember(before, speakerUri);
  next.roles = members.length === 0 ? others : { ...others, [role]: [...members] };
}

/** Limit of remembered approvals. */
export const bindingsMax = 256;

/** Keeps one approval for each name, and the newest `bindingsMax` in all. */
function bind(next: NextFloor, speakerUri: string, serviceUrl: string): void {
  const others = Object.entries(next.bindings).filter(([name]) => !isSameUri(name, speakerUri));
  next.bindings = Object.fromEntries([...others, [speakerUri, serviceUrl]].slice(-bindingsMax));
}

/** Limit of remembered address requests. */
const movesMax = 16;

/** Keeps one request for each name, and the newest `movesMax` in all. */
export function requestMove(next: NextFloor, move: AddressChange | undefined): void {
  if (move === undefined) return;
  next.moves = [...otherMoves(next, move.speakerUri), move].slice(-movesMax);
}

export function settleMove(next: NextFloor, speakerUri: string): void {
  if (next.moves !== undefined) next.moves = otherMoves(next, speakerUri);
}

function otherMoves({ moves = [] }: NextFloor, speakerUri: string): AddressChange[] {
  return moves.filter((one) => !isSameUri(one.speakerUri, speakerUri));
}

/** Binds a name to an address and updates its seat. */
export function rebind(next: NextFloor, { speakerUri, serviceUrl, aborts, replaces, seq }: ReboundEntry): void {
  bind(next, speakerUri, serviceUrl);
  settleMove(next, speakerUri);
  closeDeliveries(next, aborts);
  if (replaces !== undefined) takeOver(next, replaces, speakerUri);
  const seated = seatOf(next, speakerUri);
  if (seated === undefined) return;
  changeSeat(next, speakerUri, { identification: { ...seated.identification, serviceUrl }, movedAt: seq });
}

/** Moves the open deliveries of one seat to another, then removes the first. */
function takeOver(next: NextFloor, from: string, to: string): void {
  next.open = next.open.map((one) => (one.to === from ? { ...one, to } : one));
  unseat(next, from);
}

/** Replaces a name everywhere. */
export function rename(next: NextFloor, from: string, to: string, identification: Seat["identification"]): void {
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
