import { unknownConversant } from "../commands/command-authority.ts";
import { assignConvener } from "../convener/appoint-convener.ts";
import { type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import { everyone } from "../delivery/recipients.ts";
import type { CommandRefusal } from "../effect.ts";
import { convenerOf, type Floor, type Seat, seatOf, seatsAt } from "../floor.ts";
import type { Command } from "../input.ts";
import type { Because } from "../rules.ts";
import { isRoleName, rolesMax } from "./expected-roles.ts";

/** Assigns the roles of an accepted invite; the convener role only if it is free and not promised. */
export function assignExpectedRoles(
  builder: DecisionBuilder,
  origin: Origin,
  { identification, expectedRoles = [] }: Seat,
): void {
  const { speakerUri } = identification;
  for (const role of expectedRoles) {
    if (role !== "convener") addRole(builder, origin.turn, { role, speakerUri, because: "1.12/expected-role" });
    else if (isConvenerRoleFree(builder.floor)) assignConvener(builder, origin, "1.12/expected-role", speakerUri);
  }
}

function isConvenerRoleFree(floor: Floor): boolean {
  const { convener: chosen } = floor.options;
  const isPromised = chosen !== undefined && seatsAt(floor, chosen).some(({ state }) => state === "invited");
  return convenerOf(floor) === undefined && !isPromised;
}

function hasRole({ roles }: Floor, role: string, speakerUri: string): boolean {
  return Object.hasOwn(roles, role) && roles[role]?.includes(speakerUri) === true;
}

type RoleGrant = { role: string; speakerUri: string; because: Because };

function addRole(builder: DecisionBuilder, turn: string, given: RoleGrant): void {
  const { floor } = builder;
  if (hasRole(floor, given.role, given.speakerUri)) return;
  write(builder, turn, { kind: "role", ...given, audience: everyone(floor), isAdded: true });
}

/** Owner or operator assign a role to a conversant, or take it away. */
export function changeRole(
  builder: DecisionBuilder,
  turn: string,
  because: Because,
  { role, speakerUri: named, isAssigned }: Extract<Command, { verb: "role" }>,
): CommandRefusal | undefined {
  if (role === "owner" || role === "convener") return reserved;
  if (!isRoleName(role)) return unnameable;
  const { floor } = builder;
  const seat = seatOf(floor, named);
  if (seat === undefined) return unknownConversant("command/role/unknown");
  if (seat.state === "invited") return notJoined;
  const { speakerUri } = seat.identification;
  if (isAssigned && !Object.hasOwn(floor.roles, role) && Object.keys(floor.roles).length >= rolesMax) return tooMany;
  if (isAssigned) addRole(builder, turn, { role, speakerUri, because });
  else if (hasRole(floor, role, speakerUri)) {
    write(builder, turn, { kind: "role", because, audience: everyone(floor), role, speakerUri, isRemoved: true });
  }
  return undefined;
}

const reserved: CommandRefusal = {
  because: "command/role/reserved",
  status: 422,
  problem: "convener is given by POST .../convener, and owner is passed on by leaving: name another role",
};

const unnameable: CommandRefusal = {
  because: "command/role/name",
  status: 422,
  problem: "a role is named by a letter and up to 63 letters, digits, - or _",
};

const notJoined: CommandRefusal = {
  because: "command/role/invited",
  status: 409,
  problem: "it has not joined yet: name the role in expectedFloorRoles of its invite, or wait until it has joined",
};

const tooMany: CommandRefusal = {
  because: "command/role/many",
  status: 422,
  problem: `a conversation has at most ${rolesMax} roles: take one away first`,
};
