import { type Envelope, envelope, getManifests, isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import { type AgentSummary, type AskingDialler, askAgent } from "@plenary/sdk";
import { keepNewest } from "../../keep-newest.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { addressOf, type CatalogueEntry } from "../catalogue/entry.ts";

const seenMax = 5_000;

/** `isChosen`: from the operator. `isKnownAgent`: the floor has talked to it. */
type FetchTarget = { address: string; isChosen: boolean; isKnownAgent: boolean };

/** Adds manifests to the catalogue, each with its source. */
export function createLearner(catalogue: Catalogue, { isSelf }: AddressBook, at: () => string) {
  /** By serviceUrl, to skip unchanged agents. */
  const seen = new Map<string, string>();
  return {
    neighbour(manifest: Manifest) {
      if (isSelf(manifest.identification)) return;
      catalogue.add(manifest, { at: at(), source: "acquaintance" });
      catalogue.health(manifest.identification.serviceUrl, "answering", at());
    },
    knownAgent({ serviceUrl, manifest, manifestAt, health, askedAt }: AgentSummary) {
      const mark = `${manifestAt} ${health}`;
      if (manifest === undefined || seen.get(serviceUrl) === mark || isSelf(manifest.identification)) return;
      keepNewest(seen, serviceUrl, mark, seenMax);
      catalogue.add(manifest, { at: manifestAt ?? askedAt, source: "acquaintance" });
      catalogue.health(manifest.identification.serviceUrl, health, askedAt);
    },
    /** Drops agents that the floor no longer knows, or knows at another address now. */
    forgetGone(knownAgents: readonly AgentSummary[], neighbours: readonly Manifest[]) {
      const manifests = [...knownAgents.flatMap(({ manifest }) => manifest ?? []), ...neighbours];
      const known = [...knownAgents, ...manifests.map(({ identification }) => identification)];
      const present = new Set(known.map(({ serviceUrl }) => addressOf(serviceUrl)));
      const isGone = ({ source, manifest }: CatalogueEntry) =>
        source === "acquaintance" && !present.has(addressOf(manifest.identification.serviceUrl));
      for (const { key } of catalogue.all().filter(isGone)) catalogue.forget(key);
    },
    /** Manifests for the asked address are first-hand; manifests for other addresses are reported. */
    fetched(fetched: FetchedManifests, { address, isChosen, isKnownAgent }: FetchTarget) {
      const home = homeOf(fetched, address, isChosen);
      const source = isKnownAgent && !isChosen ? "acquaintance" : "itself";
      for (const { score: _, ...manifest } of fetched.manifests) {
        const { identification } = manifest;
        if (isSelf(identification)) continue;
        const isThere = addressOf(identification.serviceUrl) === home;
        if (isThere) catalogue.add(manifest, { at: at(), source, ...(isChosen && { isAdded: true }) });
        else catalogue.add(manifest, { at: at(), source: "reported", reportedBy: fetched.speakerUri });
      }
    },
  };
}

/** An agent from the operator may name another address than the configured one. */
function homeOf({ speakerUri, manifests }: FetchedManifests, address: string, isChosen: boolean): string {
  const addresses = manifests.map(({ identification }) => addressOf(identification.serviceUrl));
  if (!isChosen || addresses.includes(address)) return address;
  const own = manifests.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
  return own === undefined ? address : addressOf(own.identification.serviceUrl);
}

type FetchedManifests = ReturnType<typeof manifestsIn>;

type FetchOptions = { dialler: AskingDialler; sender: Sender; signal: AbortSignal };

const answerMs = 5_000;
const answerBytesMax = 524_288;
/** Spec 1.17 lets a site decide how many manifests it sends; the rest is ignored. */
const manifestsMax = 50;

/** Spec 1.17, use case 1: asks an agent for its manifests. silent: no answer. failing: an invalid answer. Never rejects. */
export async function fetchManifests(serviceUrl: string, { dialler, sender, signal }: FetchOptions) {
  const conversation = { id: crypto.randomUUID() };
  const question = envelope({ conversation, sender, events: [getManifests({ to: { serviceUrl } })] });
  const reply = await askAgent(serviceUrl, question, { dialler, signal, answerMs, answerBytesMax });
  if (reply.ok) return manifestsIn(reply.envelope);
  return reply.isSilent ? "silent" : "failing";
}

function manifestsIn({ events, sender: { speakerUri } }: Envelope) {
  const published = events.flatMap((event) => (event.eventType === "publishManifests" ? [event.parameters ?? {}] : []));
  const servicing = published.flatMap(({ servicingManifests = [] }) => servicingManifests);
  const discovery = published.flatMap(({ discoveryManifests = [] }) => discoveryManifests).slice(0, manifestsMax);
  return {
    speakerUri,
    manifests: [...servicing, ...discovery].slice(0, manifestsMax),
    discoveryAddresses: discovery.map(({ identification }) => identification.serviceUrl),
  };
}

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
