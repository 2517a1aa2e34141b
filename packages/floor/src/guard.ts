import { type FloorEvent, isPrivate } from "@plenary/protocol";
import type { Origin } from "./draft.ts";
import { convenerOf, type Floor, ownerOf, type Seat } from "./floor.ts";
import { resolve } from "./recipients.ts";
import type { Objection } from "./refuse.ts";
import type { Action } from "./table.ts";

/** What the guarded policy refuses beyond the specification (D13). It only ever adds refusals. */
export function objectionTo(floor: Floor, event: FloorEvent, origin: Origin, action: Action): Objection | undefined {
  if (floor.options.policy === "spec") return undefined;
  switch (event.eventType) {
    case "uninvite":
    case "revokeFloor":
      // What is delegated is judged when the convener returns it, by the convener's standing.
      return action === "pass" ? protectedTarget(floor, event, origin.approvedBy ?? origin.speakerUri) : undefined;
    case "utterance":
      return action === "delegate" && isPrivate(event) ? undelegatedWhisper : undefined;
    default:
      return undefined;
  }
}

// Delegating a whisper would show it to the convener.
const undelegatedWhisper: Objection = {
  because: "guard/whisper-without-floor",
  problem: "a private utterance is not shown to the convener: ask for the floor first",
};

function protectedTarget(floor: Floor, event: FloorEvent, by: string): Objection | undefined {
  const [target] = resolve(floor, event.to);
  return target === undefined ? undefined : protection(floor, target, by);
}

function protection(floor: Floor, target: Seat, by: string): Objection | undefined {
  const { speakerUri } = target.identification;
  const owner = ownerOf(floor);
  if (speakerUri === by || by === owner) return undefined;
  if (speakerUri === owner) {
    return { because: "guard/protected-owner", problem: "nobody removes or silences the owner of a conversation" };
  }
  const convener = convenerOf(floor);
  if (speakerUri === convener) {
    return { because: "guard/protected-convener", problem: "only the owner removes or silences the convener" };
  }
  if (target.kind === "person" && by !== convener) {
    return {
      because: "guard/protected-person",
      problem: "only the convener or the owner removes or silences a person",
    };
  }
  return undefined;
}
