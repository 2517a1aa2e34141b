import { isSameUri } from "@plenary/protocol";
import type { Floor, Seat } from "./floor.ts";

/**
 * A copy of a floor on its way to being the next one. Its parts still belong to the floor before: a move replaces them and
 * never writes into them. No move knows a rule.
 */
export type Next = { -readonly [Key in keyof Floor]: Floor[Key] };

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
  next.open = next.open.filter(({ to, asker }) => to !== speakerUri && asker !== speakerUri);
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

/** Approvals that a floor remembers. */
export const bindingsMax = 256;

/** The newest approval of a name is its only one; the oldest give way. */
export function bind(next: Next, speakerUri: string, serviceUrl: string): void {
  const others = Object.entries(next.bindings).filter(([name]) => !isSameUri(name, speakerUri));
  next.bindings = Object.fromEntries([...others, [speakerUri, serviceUrl]].slice(-bindingsMax));
}

/** Nobody waits for these answers any longer. */
export function settle(next: Next, deliveries: readonly string[]): void {
  if (deliveries.length > 0) next.open = next.open.filter(({ id }) => !deliveries.includes(id));
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
  next.open = next.open.map((one) => ({ ...one, to: other(one.to), ...(one.asker && { asker: other(one.asker) }) }));
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
