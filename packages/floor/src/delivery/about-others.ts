import type { FloorEvent } from "@plenary/protocol";

/**
 * D23': it only tells its recipient about others, so missing it is no failure. What is said or asked counts, and what
 * changes the recipient's own standing.
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
