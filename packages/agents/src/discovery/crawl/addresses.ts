import { isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import { keepNewest } from "../../keep-newest.ts";
import { addressOf } from "../catalogue/entry.ts";

export type AddressBook = ReturnType<typeof createAddressBook>;

const addressesMax = 5_000;
const aliasesMax = 100;
const unwellMs = 120_000;

/** In-memory notes on addresses. */
export function createAddressBook(self: Sender, now: () => number) {
  const askedAt = new Map<string, number>();
  const unwellAt = new Map<string, number>();
  /** The speakerUri of the answer, by address. */
  const speakers = new Map<string, string>();
  /** Addresses that lead back to this agent. */
  const aliases = new Map<string, true>();
  /** Discovery agents without that role in their manifests. */
  const discoveryAgents = new Map<string, true>();
  const isWithin = (times: ReadonlyMap<string, number>, serviceUrl: string, ms: number) => {
    const at = times.get(addressOf(serviceUrl));
    return at !== undefined && now() - at < ms;
  };
  return {
    /** True for this agent under any name. */
    isSelf: ({ speakerUri, serviceUrl }: { speakerUri: string; serviceUrl: string }): boolean =>
      isSameUri(speakerUri, self.speakerUri) ||
      (self.serviceUrl !== undefined && isSameUri(serviceUrl, self.serviceUrl)) ||
      (aliases.size > 0 && aliases.has(addressOf(serviceUrl))),
    noteAlias: (serviceUrl: string) => keepNewest(aliases, addressOf(serviceUrl), true, aliasesMax),
    /** By its role, or because another agent named it as one; it may serve tasks as well. */
    isDiscovery: ({ identification: { openFloorRoles, serviceUrl } }: Manifest): boolean =>
      openFloorRoles?.discovery === true || (discoveryAgents.size > 0 && discoveryAgents.has(addressOf(serviceUrl))),
    noteDiscovery(serviceUrls: readonly string[]) {
      for (const one of serviceUrls) keepNewest(discoveryAgents, addressOf(one), true, addressesMax);
    },
    notedDiscoveryAgents: (): string[] => [...discoveryAgents.keys()],
    /** The speakerUri of the agent that answers there. */
    speakerAt: (serviceUrl: string): string | undefined => speakers.get(addressOf(serviceUrl)),
    noteSpeaker: (serviceUrl: string, speakerUri: string) =>
      keepNewest(speakers, addressOf(serviceUrl), speakerUri, addressesMax),
    isAskedWithin: (serviceUrl: string, ms: number): boolean => isWithin(askedAt, serviceUrl, ms),
    noteAsked: (serviceUrl: string) => keepNewest(askedAt, addressOf(serviceUrl), now(), addressesMax),
    /** True if the agent did not answer a recent question. */
    isUnwell: (serviceUrl: string): boolean => isWithin(unwellAt, serviceUrl, unwellMs),
    noteUnwell(serviceUrl: string, isUnwell: boolean) {
      if (isUnwell) keepNewest(unwellAt, addressOf(serviceUrl), now(), addressesMax);
      else unwellAt.delete(addressOf(serviceUrl));
    },
  };
}
