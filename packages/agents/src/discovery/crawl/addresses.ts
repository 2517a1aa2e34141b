import { isSameUri, type Manifest } from "@plenary/protocol";
import { keepNewest } from "../../keep-newest.ts";
import { addressOf } from "../catalogue/entry.ts";

export type Self = { speakerUri: string; serviceUrl?: string };

export type Addresses = ReturnType<typeof createAddresses>;

const addressesMax = 5_000;
const aliasesMax = 100;
const unwellMs = 120_000;

/** What is remembered of addresses while the process lives. */
export function createAddresses(self: Self, now: () => number) {
  const askedAt = new Map<string, number>();
  const unwellAt = new Map<string, number>();
  /** Who answered there. */
  const speakers = new Map<string, string>();
  /** At which this agent answered itself. */
  const aliases = new Map<string, true>();
  /** Of discovery agents that do not say so in their manifests. */
  const guides = new Map<string, true>();
  const isWithin = (times: ReadonlyMap<string, number>, serviceUrl: string, ms: number) => {
    const at = times.get(addressOf(serviceUrl));
    return at !== undefined && now() - at < ms;
  };
  return {
    /** Whether that is this very agent, whatever it is called. */
    isSelf: ({ speakerUri, serviceUrl }: { speakerUri: string; serviceUrl: string }): boolean =>
      isSameUri(speakerUri, self.speakerUri) ||
      (self.serviceUrl !== undefined && isSameUri(serviceUrl, self.serviceUrl)) ||
      (aliases.size > 0 && aliases.has(addressOf(serviceUrl))),
    noteAlias: (serviceUrl: string) => keepNewest(aliases, addressOf(serviceUrl), true, aliasesMax),
    /** By its role, or because somebody told of it as one; it may be of other service all the same. */
    isDiscovery: ({ identification: { openFloorRoles, serviceUrl } }: Manifest): boolean =>
      openFloorRoles?.discovery === true || (guides.size > 0 && guides.has(addressOf(serviceUrl))),
    noteDiscovery(serviceUrls: readonly string[]) {
      for (const one of serviceUrls) keepNewest(guides, addressOf(one), true, addressesMax);
    },
    guidesNoted: (): string[] => [...guides.keys()],
    /** How whoever is there signs, whatever address it gives itself. */
    speakerAt: (serviceUrl: string): string | undefined => speakers.get(addressOf(serviceUrl)),
    noteSpeaker: (serviceUrl: string, speakerUri: string) =>
      keepNewest(speakers, addressOf(serviceUrl), speakerUri, addressesMax),
    isAskedWithin: (serviceUrl: string, ms: number): boolean => isWithin(askedAt, serviceUrl, ms),
    noteAsked: (serviceUrl: string) => keepNewest(askedAt, addressOf(serviceUrl), now(), addressesMax),
    /** It did not answer when it was last asked, and that is not long ago. */
    isUnwell: (serviceUrl: string): boolean => isWithin(unwellAt, serviceUrl, unwellMs),
    noteUnwell(serviceUrl: string, isUnwell: boolean) {
      if (isUnwell) keepNewest(unwellAt, addressOf(serviceUrl), now(), addressesMax);
      else unwellAt.delete(addressOf(serviceUrl));
    },
  };
}
