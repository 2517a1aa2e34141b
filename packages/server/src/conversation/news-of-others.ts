import { isAboutOthers } from "@plenary/floor";
import { type FloorEvent, isSameAddress, isSameUri } from "@plenary/protocol";

type Recipient = { speakerUri: string; serviceUrl: string };

/** The events that only tell this recipient about others (D23'). */
export function newsOfOthers(events: readonly FloorEvent[], recipient: Recipient): FloorEvent[] {
  return events.filter((event) => isAboutOthers(event, isTo(event, recipient)));
}

function isTo({ to }: FloorEvent, { speakerUri, serviceUrl }: Recipient): boolean {
  if (to?.speakerUri !== undefined && isSameUri(to.speakerUri, speakerUri)) return true;
  return to?.serviceUrl !== undefined && isSameAddress(to.serviceUrl, serviceUrl);
}
