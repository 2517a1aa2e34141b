import { relayUrlOf } from "@plenary/floor";
import { Problem } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { timeOf } from "../ports/clock.ts";
import type { CredentialStore } from "../ports/credentials.ts";
import type { Binding, Lookups } from "../ports/lookups.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import { isGuestUri, isOurRelay } from "../ports/speaker-uri.ts";
import type { Receiver } from "./receive.ts";

type BindingContext = { credentials: Pick<CredentialStore, "isPerson">; self: () => FloorIdentity; clock: Clock };

/**
 * Wraps the lookups: `boundTo` also uses the credentials of this floor. A relay address of this floor is valid for its speaker,
 * because an answer there needs the speaker's credential. A server cannot use the name of a person with a credential: a
 * person has no server, unless bound to one before. An agent's key binds nothing: the agent may also have a server, and is
 * bound to it when it first joins from there.
 */
export function withSpeakerBindings(lookups: Lookups, context: BindingContext): Lookups {
  return {
    ...lookups,
    async boundTo(claims) {
      const bound = await lookups.boundTo(claims);
      return Promise.all(claims.map((claim, index) => addressOf(claim, bound[index], context)));
    },
  };
}

async function addressOf(claim: Binding, bound: string | undefined, { credentials, self, clock }: BindingContext) {
  const { serviceUrl } = self();
  if (isOurRelay(serviceUrl, claim)) return claim.serviceUrl;
  if (bound !== undefined) return bound;
  const isPerson =
    isGuestUri(self(), claim.speakerUri) || (await credentials.isPerson(claim.speakerUri, timeOf(clock)));
  return isPerson ? relayUrlOf(serviceUrl, claim.speakerUri) : undefined;
}

/**
 * Wraps a receiver: an owner may seat only conversants at a relay address of this floor. Any other conversant is invited
 * and proves its address by its answer. The operator may seat a conversant at any address.
 */
export function withSeatsHere(receiver: Receiver, self: () => FloorIdentity): Receiver {
  return {
    ...receiver,
    async command(conversationId, command, of) {
      const isOwners = command.verb === "seat" && of?.by.by === "owner";
      if (isOwners && !isOurRelay(self().serviceUrl, command.identification)) {
        const detail = "an owner may seat only conversants at a relay address of this floor: invite it instead";
        throw new Problem("refused", { detail, extra: { because: "command/seat/elsewhere" } });
      }
      return receiver.command(conversationId, command, of);
    },
  };
}
