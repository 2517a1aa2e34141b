import { type FloorEvent, isPrivate } from "@plenary/protocol";
import { everyone } from "./delivery/recipients.ts";
import type { Entry } from "./entry.ts";
import type { Floor } from "./floor.ts";

/** The only rule of visibility. `seesFrom` comes from the reader's seat. */
export function visibleTo(entry: Entry, speakerUri: string, seesFrom?: number): boolean {
  if (entry.audience.includes(speakerUri)) return true;
  return seesFrom !== undefined && entry.seq >= seesFrom && isForEveryone(entry);
}

/** True for entries that every conversant of that time could see. */
function isForEveryone(entry: Entry): boolean {
  switch (entry.kind) {
    case "event":
      return !isPrivate(entry.event) && entry.isNotice !== true;
    case "seated":
    case "renamed":
    case "role":
    case "chosen":
    case "paused":
    case "resumed":
    case "titled":
    case "rebound":
    case "dismissed":
    case "erased":
    case "closed":
      return true;
    case "opened":
    case "received":
    case "parked":
    case "unparked":
    case "refused":
    case "late":
    case "missed":
    case "forwarded":
    case "held":
    case "silent":
    case "revealed":
      return false;
  }
}

/** The speakers who may see an event: everyone, or for a whisper its two parties. */
export function audienceOf(floor: Floor, event: FloorEvent, sender: string, target: string | undefined): string[] {
  if (!isPrivate(event)) return everyone(floor);
  return target === undefined || target === sender ? [sender] : [sender, target];
}
