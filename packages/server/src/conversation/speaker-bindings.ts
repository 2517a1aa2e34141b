import { relayUrlOf } from "@plenary/floor";
import { Problem } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { timeOf } from "../ports/clock.ts";
import type { CredentialStore } from "../ports/credentials.ts";
import type { Self } from "../ports/outbound.ts";
import { isGuestUri } from "../ports/speaker-uri.ts";
import type { Binding, FloorStore } from "../ports/store.ts";
import type { Receiver } from "./receive.ts";
import { isOurRelay } from "./relay-address.ts";

type Known = { credentials: Pick<CredentialStore, "isPerson">; self: () => Self; clock: Clock };

/**
 * The same store; where somebody is it also tells by what this floor itself knows. At our own relay address answers whoever
 * has the credential, so that is the right place for everyone. Nor may a server take the name of a person who has one: a
 * person has no server, unless it was bound to one before. The key of an agent stands in nobody's way: the agent may have
 * a server besides, and is bound to it when it first joins from there.
 */
export function withTrust(store: FloorStore, known: Known): FloorStore {
  return {
    ...store,
    async boundTo(claims) {
      const bound = await store.boundTo(claims);
      return Promise.all(claims.map((claim, index) => placeOf(claim, bound[index], known)));
    },
  };
}

async function placeOf(claim: Binding, bound: string | undefined, { credentials, self, clock }: Known) {
  const { serviceUrl } = self();
  if (isOurRelay(serviceUrl, claim)) return claim.serviceUrl;
  if (bound !== undefined) return bound;
  const isPerson =
    isGuestUri(self(), claim.speakerUri) || (await credentials.isPerson(claim.speakerUri, timeOf(clock)));
  return isPerson ? relayUrlOf(serviceUrl, claim.speakerUri) : undefined;
}

/**
 * The same receiver; an owner gives seats to those only who are reached through this floor. Whoever is elsewhere is
 * invited, and proves by its answer that it is there. The operator seats anybody anywhere.
 */
export function withSeatsHere(receiver: Receiver, self: () => Self): Receiver {
  return {
    ...receiver,
    async command(conversationId, command, of) {
      const isOwners = command.verb === "seat" && of?.by.by === "owner";
      if (isOwners && !isOurRelay(self().serviceUrl, command.identification)) {
        const detail = "an owner seats nobody at an address elsewhere: invite it instead";
        throw new Problem("refused", { detail, extra: { because: "command/seat/elsewhere" } });
      }
      return receiver.command(conversationId, command, of);
    },
  };
}
