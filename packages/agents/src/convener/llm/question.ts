import { type EventOf, isPrivate, isSameUri } from "@plenary/protocol";
import { beneficiaryOf, conversantFor, conversantNamed, isGranted, isOwner } from "../floor-view.ts";
import type { Matter, Sight } from "../policy.ts";

/** What is left to discretion. Speakers are named by their speakerUri; the model sees ids of ours instead. */
export type Question =
  | { kind: "floor"; event: EventOf<"requestFloor">; about: string; sender: string }
  | { kind: "words"; event: EventOf<"utterance">; sender: string }
  | { kind: "invite"; event: EventOf<"invite">; sender: string }
  | { kind: "uninvite"; event: EventOf<"uninvite">; about: string; sender: string }
  /** Who of those who wait has the floor next, in the order in which they would have it. */
  | { kind: "next"; waiting: readonly string[] };

/**
 * Undefined where a rule decides: the owner asks for nothing in vain and is never the one decided about, and a whisper is
 * shown to nobody who is no party of it.
 */
export function questionAbout(matter: Matter, sight: Sight): Question | undefined {
  if (matter.kind !== "asked" || isPrivate(matter.event)) return undefined;
  const { event, sender } = matter;
  if (isOwner(sender, sight) || conversantNamed(sight, sender) === undefined) return undefined;
  switch (event.eventType) {
    case "requestFloor": {
      const about = beneficiaryOf(event, sender, sight);
      // To refuse the floor to somebody who has it would take it away.
      return isOwner(about, sight) || isGranted(about, sight) ? undefined : { kind: "floor", event, about, sender };
    }
    case "utterance":
      return { kind: "words", event, sender };
    case "invite":
      return { kind: "invite", event, sender };
    case "uninvite": {
      const about = conversantFor(sight, event.to)?.speakerUri;
      // Whoever wishes to go goes.
      if (about === undefined || isOwner(about, sight) || isSameUri(about, sender)) return undefined;
      return { kind: "uninvite", event, about, sender };
    }
    default:
      return undefined;
  }
}
