import { relayUrlOf } from "@plenary/floor";
import type { Envelope, Identification } from "@plenary/protocol";
import type { Self } from "../ports/outbound.ts";

/** Whoever begins a conversation owns it, under the name it gave itself in its first envelope. */
export function ownerOfNew({ sender, conversation }: Envelope, self: Self): Identification {
  const given = conversation.conversants?.find(({ identification }) => identification.speakerUri === sender.speakerUri);
  const { speakerUri, serviceUrl = given?.identification.serviceUrl ?? "" } = sender;
  return personOf({ ...given?.identification, speakerUri, serviceUrl }, self);
}

/** People have no server of their own: the floor takes what is sent to them (D25). */
export function personOf(given: Partial<Identification> & { speakerUri: string }, self: Self): Identification {
  const { speakerUri } = given;
  const serviceUrl = given.serviceUrl || relayUrlOf(self.serviceUrl, speakerUri);
  const { organization = "", conversationalName = "", synopsis = "", ...others } = given;
  return { ...others, speakerUri, serviceUrl, organization, conversationalName, synopsis };
}
