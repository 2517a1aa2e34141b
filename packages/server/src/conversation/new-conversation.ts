import { relayUrlOf } from "@plenary/floor";
import type { Envelope, Identification } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import type { FloorIdentity } from "../ports/outbound.ts";

const idMax = 256;

// A URL parser resolves such a segment, so the path of the conversation would lead to another one.
const dotSegment = /(?:^|[/\\])\.\.?(?:$|[/\\])/u;

/** Checks the id of a new conversation; existing ones keep their ids. `pointer`: its place in the request. */
export function assertConversationId(id: string, pointer: string): void {
  const fault = faultIn(id);
  if (fault === undefined) return;
  const fix = `choose an id of 1 to ${idMax} characters, such as a UUID`;
  throw new Problem("bad-request", { detail: `the conversation id ${fault}`, pointer, fix });
}

function faultIn(id: string): string | undefined {
  if (id.length > idMax) return `has ${id.length} characters; at most ${idMax} are allowed`;
  if (/\p{Cc}/u.test(id)) return "contains control characters";
  return dotSegment.test(id) ? 'contains a path segment "." or ".."' : undefined;
}

/** The sender of the first envelope owns the conversation, under the name that envelope gives it. */
export function ownerOfNew({ sender, conversation }: Envelope, self: FloorIdentity): Identification {
  const given = conversation.conversants?.find(({ identification }) => identification.speakerUri === sender.speakerUri);
  const { speakerUri, serviceUrl = given?.identification.serviceUrl ?? "" } = sender;
  return personOf({ ...given?.identification, speakerUri, serviceUrl }, self);
}

/** A person has no server: the address is a relay address of this floor (D25). */
export function personOf(given: Partial<Identification> & { speakerUri: string }, self: FloorIdentity): Identification {
  const { speakerUri } = given;
  const serviceUrl = given.serviceUrl || relayUrlOf(self.serviceUrl, speakerUri);
  const { organization = "", conversationalName = "", synopsis = "", ...others } = given;
  return { ...others, speakerUri, serviceUrl, organization, conversationalName, synopsis };
}
