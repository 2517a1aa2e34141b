import type { FloorEvent } from "@plenary/protocol";
import type { Because } from "./because.ts";
import { type Draft, type Origin, write } from "./draft.ts";
import type { Refusal } from "./effect.ts";

export type Objection = { because: Because; problem: string };

/** The event has no effect and is shown to nobody but its sender; the others of its envelope go on (D13). */
export function refuse(draft: Draft, origin: Origin, event: FloorEvent, { because, problem }: Objection): void {
  const index = draft.given.indexOf(event);
  // What was parked belongs to an earlier envelope: whoever sent this one has no part in it.
  if (index !== -1) draft.refusals.push({ index, because, problem, status: statusOf(because) });
  const { speakerUri: sender, turn, causedBy } = origin;
  write(draft, turn, { kind: "refused", because, causedBy, audience: [sender], sender, event, problem });
}

const malformed = /^(?:1\.|limit\/)/;

function statusOf(because: Because): Refusal["status"] {
  return malformed.test(because) ? 422 : 403;
}
