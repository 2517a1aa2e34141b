import type { FloorEvent } from "@plenary/protocol";

/**
 * D23': the event only informs its recipient about others, so missing it is no failure. Utterances, questions and changes
 * of the recipient's own standing count.
 */
export function isAboutOthers({ eventType }: FloorEvent, isTarget: boolean): boolean {
  switch (eventType) {
    case "acceptInvite":
    case "declineInvite":
    case "publishManifests":
    case "bye":
      return true;
    case "invite":
    case "uninvite":
    case "requestFloor":
    case "grantFloor":
    case "revokeFloor":
    case "yieldFloor":
      return !isTarget;
    case "utterance":
    case "getManifests":
      return false;
  }
}
