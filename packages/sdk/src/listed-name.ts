import { type Conversation, type FloorEvent, isOwnName, isSameUri } from "@plenary/protocol";

/** The speakerUri that a floor lists somebody under; some floors call its agents by their addresses as well. */
export function listedName(uri: string, { conversants = [] }: Conversation): string | undefined {
  const listed = conversants.map(({ identification }) => identification);
  const named = listed.find(({ speakerUri }) => isSameUri(speakerUri, uri));
  return (named ?? listed.find((one) => isOwnName(uri, one)))?.speakerUri;
}

/**
 * Who sends an event. A floor that signs everything itself is not among the conversants that it lists: there the dialog
 * event names the speaker. A listed sender is believed, whatever the dialog event says.
 */
export function originOf(event: FloorEvent, sender: string, conversation: Conversation): string {
  if (event.eventType !== "utterance" || (conversation.conversants ?? []).length === 0) return sender;
  const { speakerUri } = event.parameters.dialogEvent;
  return listedName(sender, conversation) ?? listedName(speakerUri, conversation) ?? speakerUri;
}
