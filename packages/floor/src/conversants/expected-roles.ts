import type { FloorEvent } from "@plenary/protocol";
import type { Origin } from "../decision-builder.ts";
import { type Floor, ownerOf } from "../floor.ts";

export const rolesMax = 16;

const roleName = /^(?!(?:constructor|prototype)$)[a-z][\w-]{0,63}$/iu;

/** True for a name that every peer can read as a key of the conversation section. */
export function isRoleName(role: string): boolean {
  return roleName.test(role);
}

/** D41: the roles that an invite may promise. Only the owner and the floor promise the convener role, and no sender the owner role. */
export function expectedRolesIn(floor: Floor, { speakerUri }: Origin, event: FloorEvent): readonly string[] {
  if (event.eventType !== "invite") return [];
  const mayAppoint = speakerUri === ownerOf(floor) || speakerUri === floor.self.speakerUri;
  const named = new Set(event.parameters?.expectedFloorRoles);
  return [...named]
    .filter((role) => isRoleName(role) && role !== "owner" && (role !== "convener" || mayAppoint))
    .slice(0, rolesMax);
}
