// Which catalogue entries may be recommended to which asker.
import { isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import type { AgentSummary } from "@plenary/sdk";
import { addressOf, type CatalogueEntry } from "./catalogue/entry.ts";
import type { EnvelopeQuota } from "./quotas.ts";

export type Visibility = {
  /** True for this agent, under any name or address, and for the asker. */
  isHidden: (manifest: Manifest) => boolean;
  /** May be recommended for a task. */
  isServing: (known: CatalogueEntry) => boolean;
  /** May be recommended as a discovery agent. */
  isDiscoveryAgent: (known: CatalogueEntry) => boolean;
  /** May be named at all. */
  isShown: (known: CatalogueEntry) => boolean;
};

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
): Visibility {
  const { isPublic, isTrusted } = crawler.trust();
  const isForHost = isHost(asker);
  const isHidden = ({ identification }: Manifest) =>
    crawler.isSelf(identification) ||
    (self.serviceUrl !== undefined && isSameUri(identification.serviceUrl, self.serviceUrl)) ||
    isSameUri(identification.speakerUri, asker.speakerUri);
  const isShown = (known: CatalogueEntry) => !isHidden(known.manifest) && (isForHost || isPublic(known));
  const isLeading = ({ manifest: { identification } }: CatalogueEntry) =>
    !isForHost || isTrusted(identification.serviceUrl);
  return {
    isHidden,
    isShown,
    isServing: (known) => isShown(known) && !(isOnlyDiscovery(known.manifest) && isLeading(known)),
    isDiscoveryAgent: (known) => isShown(known) && isLeading(known),
  };
}

/** By its own role only: reports of others do not remove an agent from the recommendations. */
export function isOnlyDiscovery({ identification }: Manifest): boolean {
  return identification.openFloorRoles?.discovery === true;
}

/** Those that fit into the answer, in order. */
export function withinQuota<Item extends { manifest: Manifest }>(
  items: readonly Item[],
  { takeBytes }: EnvelopeQuota,
): Item[] {
  return items.filter(({ manifest }) => takeBytes(Buffer.byteLength(JSON.stringify(manifest))));
}

type TrustOptions = {
  /** Addresses from the operator. */
  chosen: ReadonlySet<string>;
  neighbours: readonly Manifest[];
  /** Absent: no floor provides any. */
  knownAgents?: () => readonly AgentSummary[];
};

export type Trust = {
  /** The floor has talked to the agent at this address. */
  isKnownAgent: (serviceUrl: string) => boolean;
  /** The operator or the floor's host named this address: tasks may be sent to it. */
  isTrusted: (serviceUrl: string) => boolean;
  /** May be recommended to every asker; other entries only to the floor itself, for its hosts. */
  isPublic: (known: CatalogueEntry) => boolean;
};

/** Agents that a floor hosts or was given are public. Agents that its conversations merely met are private to it. */
export function createTrust({ chosen, neighbours, knownAgents }: TrustOptions): () => Trust {
  const neighbouring = new Set(neighbours.map(addressIn));
  return () => {
    const met = knownAgents?.() ?? [];
    const own = met.filter(({ isHosted, isAdded }) => isHosted === true || isAdded === true);
    const metAt = new Set(met.map(({ serviceUrl }) => addressOf(serviceUrl)));
    const ownAt = new Set(own.map(({ serviceUrl }) => addressOf(serviceUrl)));
    const openAt = new Set([...ownAt, ...own.flatMap(({ manifest }) => (manifest ? addressIn(manifest) : []))]);
    return {
      isKnownAgent: (serviceUrl) => metAt.has(addressOf(serviceUrl)),
      isTrusted: (serviceUrl) => chosen.has(addressOf(serviceUrl)) || ownAt.has(addressOf(serviceUrl)),
      isPublic({ source, isPublished, manifest }) {
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
