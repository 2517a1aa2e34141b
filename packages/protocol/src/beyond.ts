import { dialogEventFaults } from "./dialog-event-faults.ts";
import type { Envelope } from "./envelope.ts";
import { conversationFaults, recommendationFaults, repetitionFaults } from "./envelope-faults.ts";
import { faultless } from "./issue.ts";
import { hasMisspeltFlag } from "./private-flag.ts";

/** True when an envelope that its schema accepts breaks none of the other rules either. */
export function isFaultless(envelope: Envelope): boolean {
  if (conversationFaults(envelope.conversation) !== faultless) return false;
  if (recommendationFaults(envelope) !== faultless || repetitionFaults(envelope) !== faultless) return false;
  for (const event of envelope.events) {
    if (hasMisspeltFlag(event)) return false;
    if (event.eventType === "utterance" && dialogEventFaults(event.parameters.dialogEvent) !== faultless) return false;
    if (event.eventType !== "invite") continue;
    for (const past of event.parameters?.dialogHistory ?? []) {
      if (dialogEventFaults(past) !== faultless) return false;
    }
  }
  return true;
}
