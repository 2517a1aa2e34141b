import { giveChair } from "../convener/appoint-convener.ts";
import { type Draft, type Origin, write } from "../decision-builder.ts";
import { everyone } from "../delivery/recipients.ts";
import type { Refusal } from "../effect.ts";
import { convenerOf, type Floor, type Seat, seatOf, seatsAt } from "../floor.ts";
import type { Command } from "../input.ts";
import type { Because } from "../rules.ts";
import { isRoleName, rolesMax } from "./expected-roles.ts";

type Refused = (Refusal & { because: Because }) | undefined;

/** It has accepted: it gets the roles it was invited for, the chair only if nobody has it or is to have it. */
export function assignPromised(draft: Draft, origin: Origin, { identification, expectedRoles = [] }: Seat): void {
  const { speakerUri } = identification;
  for (const role of expectedRoles) {
    if (role !== "convener") addRole(draft, origin.turn, { role, speakerUri, because: "1.12/expected-role" });
    else if (isChairFree(draft.floor)) giveChair(draft, origin, "1.12/expected-role", speakerUri);
  }
}

function isChairFree(floor: Floor): boolean {
  const { convener: chosen } = floor.options;
  const isPromised = chosen !== undefined && seatsAt(floor, chosen).some(({ state }) => state === "invited");
  return convenerOf(floor) === undefined && !isPromised;
}

function hasRole({ roles }: Floor, role: string, speakerUri: string): boolean {
  return Object.hasOwn(roles, role) && roles[role]?.includes(speakerUri) === true;
}

type Given = { role: string; speakerUri: string; because: Because };

function addRole(draft: Draft, turn: string, given: Given): void {
  const { floor } = draft;
  if (hasRole(floor, given.role, given.speakerUri)) return;
  write(draft, turn, { kind: "role", ...given, audience: everyone(floor), isAdded: true });
}

/** Owner or operator give a role to somebody who is here, or take it. */
export function changeRole(
  draft: Draft,
  turn: string,
  because: Because,
  { role, speakerUri: named, isAssigned }: Extract<Command, { verb: "role" }>,
): Refused {
  if (role === "owner" || role === "convener") return reserved;
  if (!isRoleName(role)) return unnameable;
  const { floor } = draft;
  const seat = seatOf(floor, named);
  if (seat === undefined) {
    return { because: "command/role/unknown", status: 404, problem: "nobody here has this speakerUri" };
  }
  if (seat.state === "invited") return notJoined;
  const { speakerUri } = seat.identification;
  if (isAssigned && !Object.hasOwn(floor.roles, role) && Object.keys(floor.roles).length >= rolesMax) return tooMany;
  if (isAssigned) addRole(draft, turn, { role, speakerUri, because });
  else if (hasRole(floor, role, speakerUri)) {
    write(draft, turn, { kind: "role", because, audience: everyone(floor), role, speakerUri, isRemoved: true });
  }
  return undefined;
}

const reserved = {
  because: "command/role/reserved",
  status: 422,
  problem: "convener is given by POST .../convener, and owner is passed on by leaving: name another role",
} as const satisfies Refused;

const unnameable = {
  because: "command/role/name",
  status: 422,
  problem: "a role is named by a letter and up to 63 letters, digits, - or _",
} as const satisfies Refused;

const notJoined = {
  because: "command/role/invited",
  status: 409,
  problem: "it has not joined yet: name the role in expectedFloorRoles of its invite, or wait until it has joined",
} as const satisfies Refused;

const tooMany = {
  because: "command/role/many",
  status: 422,
  problem: `a conversation has at most ${rolesMax} roles: take one away first`,
} as const satisfies Refused;
