// Which catalogue entries may be recommended to which asker.
import { isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import type { AgentSummary } from "@plenary/sdk";
import { addressOf, type CatalogueEntry } from "./catalogue/entry.ts";
import type { EnvelopeQuota } from "./quotas.ts";

type VisibilityContext = {
  crawler: { trust: () => Trust; isSelf: (identification: Manifest["identification"]) => boolean };
  isHost: (sender: Sender) => boolean;
};

/**
 * The floor asks for its hosts, who may see all agents that it knows. It then asks the discovery agents in the answer, so
 * that answer names only trusted ones as discovery agents.
 */
export function visibilityFor(
  { self, asker }: { self: Sender; asker: Sender },
  { crawler, isHost }: VisibilityContext,
) {
  const { isPublic, isTrusted } = crawler.trust();
  const isForHost = isHost(asker);
  /** True for this agent, under any name or address, and for the asker. */
  const isHidden = ({ identification }: Manifest) =>
    crawler.isSelf(identification) ||
    (self.serviceUrl !== undefined && isSameUri(identification.serviceUrl, self.serviceUrl)) ||
    isSameUri(identification.speakerUri, asker.speakerUri);
  /** May be named at all. */
  const isShown = (known: CatalogueEntry) => !isHidden(known.manifest) && (isForHost || isPublic(known));
  const isLeading = ({ manifest: { identification } }: CatalogueEntry) =>
    !isForHost || isTrusted(identification.serviceUrl);
  return {
    isHidden,
    isShown,
    /** May be recommended for a task. */
    isServing: (known: CatalogueEntry) => isShown(known) && !(isOnlyDiscovery(known.manifest) && isLeading(known)),
    /** May be recommended as a discovery agent. */
    isDiscoveryAgent: (known: CatalogueEntry) => isShown(known) && isLeading(known),
  };
}

/** By its own role only: reports of others do not remove an agent from the recommendations. */
export function isOnlyDiscovery({ identification }: Manifest): boolean {
  return identification.openFloorRoles?.discovery === true;
}

/** Those that fit into the answer, in order. */
export function withinQuota<Item extends { manifest: Manifest }>(items: readonly Item[], quota: EnvelopeQuota): Item[] {
  return items.filter(({ manifest }) => quota("bytes", Buffer.byteLength(JSON.stringify(manifest))));
}

type TrustOptions = {
  /** Addresses from the operator. */
  chosen: ReadonlySet<string>;
  neighbours: readonly Manifest[];
  /** Absent: no floor provides any. */
  knownAgents?: () => readonly AgentSummary[];
};

type Trust = ReturnType<ReturnType<typeof createTrust>>;

/** Agents that a floor hosts or was given are public. Agents that its conversations merely met are private to it. */
export function createTrust({ chosen, neighbours, knownAgents }: TrustOptions) {
  const neighbouring = new Set(neighbours.map(addressIn));
  return () => {
    const met = knownAgents?.() ?? [];
    const own = met.filter(({ isHosted, isAdded }) => isHosted === true || isAdded === true);
    const metAt = new Set(met.map(({ serviceUrl }) => addressOf(serviceUrl)));
    const ownAt = new Set(own.map(({ serviceUrl }) => addressOf(serviceUrl)));
    const openAt = new Set([...ownAt, ...own.flatMap(({ manifest }) => (manifest ? addressIn(manifest) : []))]);
    return {
      /** The floor has talked to the agent at this address. */
      isKnownAgent: (serviceUrl: string) => metAt.has(addressOf(serviceUrl)),
      /** The operator or the floor's host named this address: tasks may be sent to it. */
      isTrusted: (serviceUrl: string) => chosen.has(addressOf(serviceUrl)) || ownAt.has(addressOf(serviceUrl)),
      /** May be recommended to every asker; other entries only to the floor itself, for its hosts. */
      isPublic({ source, isPublished, manifest }: CatalogueEntry) {
        if (knownAgents !== undefined && hasSecret(manifest.identification.serviceUrl)) return false;
        if (source !== "acquaintance" || isPublished === true) return true;
        return neighbouring.has(addressIn(manifest)) || openAt.has(addressIn(manifest));
      },
    };
  };
}

function addressIn({ identification }: Manifest): string {
  return addressOf(identification.serviceUrl);
}

/** The query and the user info of a URL often contain a key. */
function hasSecret(serviceUrl: string): boolean {
  if (!/[?@]/u.test(serviceUrl) || !URL.canParse(serviceUrl)) return false;
  const { username, password, search } = new URL(serviceUrl);
  return username !== "" || password !== "" || search !== "";
}
