import type { FloorEvent } from "@plenary/protocol";
import { type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import type { Refusal } from "../effect.ts";
import type { AddressChange } from "../floor.ts";
import type { Because } from "../rules.ts";

export type Objection = {
  because: Because;
  problem: string;
  /** The name and the address of an invite that the owner may yet allow. */
  move?: AddressChange;
  /** The convener did not pass on this event of the owner. */
  isSwallowed?: true;
};

/** The event has no effect, and only its sender sees the refusal. The other events of its envelope go on (D13). */
export function refuse(builder: DecisionBuilder, origin: Origin, event: FloorEvent, objection: Objection): void {
  const { because, problem, move, isSwallowed } = objection;
  const index = builder.given.indexOf(event);
  // A parked event belongs to an earlier envelope, so the sender of this one gets no refusal for it.
  if (index !== -1) builder.refusals.push({ index, because, problem, status: statusOf(because) });
  const { speakerUri: sender, turn, causedBy, whisperer } = origin;
  const more = {
    ...(whisperer !== undefined && { whisperer }),
    ...(move && { move }),
    ...(isSwallowed && { isSwallowed }),
  };
  const about = { sender, event, problem, ...more };
  write(builder, turn, { kind: "refused", because, causedBy, audience: [sender], ...about });
}

const malformed = /^(?:1\.|limit\/)/;

function statusOf(because: Because): Refusal["status"] {
  return malformed.test(because) ? 422 : 403;
}
