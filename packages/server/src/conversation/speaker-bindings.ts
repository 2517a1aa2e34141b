import { relayUrlOf } from "@plenary/floor";
import { type Clock, timeOf } from "../ports/clock.ts";
import type { CredentialStore } from "../ports/credentials.ts";
import type { Binding, Lookups } from "../ports/lookups.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import { isGuestUri, isOurRelay } from "../ports/speaker-uri.ts";

export type BindingContext = {
  credentials: Pick<CredentialStore, "isPerson">;
  self: FloorIdentity;
  clock: Clock;
};

/**
 * The address that each speaker is bound to. A relay address of this floor is valid for its speaker, because an answer
 * there needs the speaker's credential. A server cannot use the name of a person with a credential: a person has no
 * server, unless bound to one before. An agent's key binds nothing: the agent may also have a server, and is bound to it
 * when it first joins from there.
 */
export async function boundAddresses(
  lookups: Pick<Lookups, "boundTo">,
  claims: readonly Binding[],
  context: BindingContext,
): Promise<(string | undefined)[]> {
  const bound = await lookups.boundTo(claims);
  return Promise.all(claims.map((claim, index) => addressOf(claim, bound[index], context)));
}

async function addressOf(claim: Binding, bound: string | undefined, { credentials, self, clock }: BindingContext) {
  const { serviceUrl } = self;
  if (isOurRelay(serviceUrl, claim)) return claim.serviceUrl;
  if (bound !== undefined) return bound;
  const isPerson = isGuestUri(self, claim.speakerUri) || (await credentials.isPerson(claim.speakerUri, timeOf(clock)));
  return isPerson ? relayUrlOf(serviceUrl, claim.speakerUri) : undefined;
}
