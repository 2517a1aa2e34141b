import { type EventOf, isPrivate, isSameUri } from "@plenary/protocol";
import { beneficiaryOf, conversantFor, conversantWith, isGranted, isOwner } from "../floor-view.ts";
import type { FloorView, PolicyInput } from "../policy.ts";

/** A decision that a model may make. Here by speakerUri; the prompt uses short ids instead. */
export type Question =
  | { kind: "floor"; event: EventOf<"requestFloor">; about: string; sender: string }
  | { kind: "words"; event: EventOf<"utterance">; sender: string }
  | { kind: "invite"; event: EventOf<"invite">; sender: string }
  | { kind: "uninvite"; event: EventOf<"uninvite">; about: string; sender: string }
  /** Which waiting speaker is next; in queue order. */
  | { kind: "next"; waiting: readonly string[] };

/**
 * Undefined where a rule decides: requests of the owner are granted, no decision is about the owner, and a whisper stays with
 * its parties.
 */
export function questionAbout(input: PolicyInput, view: FloorView): Question | undefined {
  if (input.kind !== "delegated" || isPrivate(input.event)) return undefined;
  const { event, sender } = input;
  if (isOwner(sender, view) || conversantWith(view, sender) === undefined) return undefined;
  switch (event.eventType) {
    case "requestFloor": {
      const about = beneficiaryOf(event, sender, view);
      // A refusal would revoke the floor of a speaker who has it.
      return isOwner(about, view) || isGranted(about, view) ? undefined : { kind: "floor", event, about, sender };
    }
    case "utterance":
      return { kind: "words", event, sender };
    case "invite":
      return { kind: "invite", event, sender };
    case "uninvite": {
      const about = conversantFor(view, event.to)?.speakerUri;
      // Anyone may leave.
      if (about === undefined || isOwner(about, view) || isSameUri(about, sender)) return undefined;
      return { kind: "uninvite", event, about, sender };
    }
    default:
      return undefined;
  }
}
