import type { FloorEvent } from "@plenary/protocol";
import type { Origin } from "../decision-builder.ts";
import { type Floor, ownerOf } from "../floor.ts";

export const rolesMax = 16;

const roleName = /^(?!(?:constructor|prototype)$)[a-z][\w-]{0,63}$/iu;

/** A key of the conversation section that any peer can read. */
export function isRoleName(role: string): boolean {
  return roleName.test(role);
}

/** D41: what an invite may promise. An agent gives no chair away, and nobody the conversation. */
export function promised(floor: Floor, { speakerUri }: Origin, event: FloorEvent): readonly string[] {
  if (event.eventType !== "invite") return [];
  const mayAppoint = speakerUri === ownerOf(floor) || speakerUri === floor.self.speakerUri;
  const named = new Set(event.parameters?.expectedFloorRoles);
  return [...named]
    .filter((role) => isRoleName(role) && role !== "owner" && (role !== "convener" || mayAppoint))
    .slice(0, rolesMax);
}
