import type { EventType } from "@plenary/protocol";
import { convenerOf, type Floor, ownerOf, type Quota, seatOf } from "./floor.ts";

/** The standing of a sender in a conversation when its event would take effect. */
export type Standing = "owner" | "convener" | "person" | "agent" | "invited" | "absent";

/**
 * `aloud`: a private event is never delegated. `not-owner`: never against the owner. `unprotected`: nor against the
 * convener or a person. `quota`: limited in each turn.
 */
export type Condition = "aloud" | "not-owner" | "unprotected" | "quota";

/** Refused, or the table of 2.2 decides: always, or under these conditions. */
export type Permission = "refuse" | "table" | readonly Condition[];

/**
 * Who may do what under the guarded policy (D13). It only adds refusals to the table of 2.2, and never refuses what a
 * conversant does to itself. Under the policy `spec` only `absent` counts.
 */
export const authority: Readonly<Record<EventType, Readonly<Record<Standing, Permission>>>> = {
  utterance: {
    owner: ["aloud"],
    convener: "table",
    person: ["aloud"],
    agent: ["aloud"],
    invited: ["aloud"],
    absent: "refuse",
  },
  invite: {
    owner: "table",
    convener: ["quota"],
    person: "table",
    agent: ["quota"],
    invited: "refuse",
    absent: "refuse",
  },
  uninvite: {
    owner: "table",
    convener: ["not-owner", "quota"],
    person: ["unprotected"],
    agent: ["unprotected", "quota"],
    invited: "refuse",
    absent: "refuse",
  },
  acceptInvite: {
    owner: "table",
    convener: "table",
    person: "table",
    agent: "table",
    invited: "table",
    absent: "refuse",
  },
  declineInvite: {
    owner: "table",
    convener: "table",
    person: "table",
    agent: "table",
    invited: "table",
    absent: "refuse",
  },
  bye: {
    owner: "table",
    convener: "table",
    person: "table",
    agent: "table",
    invited: "table",
    absent: "refuse",
  },
  getManifests: {
    owner: "table",
    convener: ["quota"],
    person: "table",
    agent: ["quota"],
    invited: "refuse",
    absent: "refuse",
  },
  publishManifests: {
    owner: "table",
    convener: ["quota"],
    person: "table",
    agent: ["quota"],
    invited: "table",
    absent: "refuse",
  },
  requestFloor: {
    owner: "table",
    convener: "table",
    person: "table",
    agent: "table",
    invited: "refuse",
    absent: "refuse",
  },
  grantFloor: {
    owner: "table",
    convener: "table",
    person: "table",
    agent: "table",
    invited: "refuse",
    absent: "refuse",
  },
  revokeFloor: {
    owner: "table",
    convener: ["not-owner"],
    person: ["unprotected"],
    agent: ["unprotected"],
    invited: "refuse",
    absent: "refuse",
  },
  yieldFloor: {
    owner: "table",
    convener: "table",
    person: "table",
    agent: "table",
    invited: "refuse",
    absent: "refuse",
  },
};

/** The quota of an event type, where the matrix says `quota`. */
export const quotas: Readonly<Partial<Record<EventType, Quota>>> = {
  invite: "invites",
  uninvite: "uninvites",
  getManifests: "manifests",
  publishManifests: "manifests",
};

export function standingOf(floor: Floor, speakerUri: string): Standing {
  const seat = seatOf(floor, speakerUri);
  if (seat === undefined) return "absent";
  // A role does not replace the answer to an invite.
  if (seat.state === "invited") return "invited";
  const name = seat.identification.speakerUri;
  if (name === ownerOf(floor)) return "owner";
  return name === convenerOf(floor) ? "convener" : seat.kind;
}

export function permissionOf(floor: Floor, eventType: EventType, speakerUri: string): Permission {
  return authority[eventType][standingOf(floor, speakerUri)];
}

export function isUnder(permission: Permission, condition: Condition): boolean {
  return typeof permission !== "string" && permission.includes(condition);
}
