import type { Manifest } from "@plenary/protocol";
import type { Acquaintance } from "@plenary/sdk";
import { addressOf, type Known } from "./catalogue/entry.ts";

type People = {
  /** Addresses that whoever runs this agent named. */
  chosen: ReadonlySet<string>;
  neighbours: readonly Manifest[];
  /** Absent: no floor lends any. */
  acquaintances?: () => readonly Acquaintance[];
};

/** As it is at this moment. */
export type Circle = {
  /** The floor has met whoever is there. */
  isAcquaintance: (serviceUrl: string) => boolean;
  /** Somebody with a right to it named this address: it may be told what somebody looks for. */
  isTrusted: (serviceUrl: string) => boolean;
  /** Who may be recommended to anybody; others only to the floor itself, which asks for whoever may host. */
  isOpen: (known: Known) => boolean;
};

/** Whom a floor knows of its own doing, and whom it merely met: that others talk to those is nobody else's business. */
export function createCircle({ chosen, neighbours, acquaintances }: People): () => Circle {
  const neighbouring = new Set(neighbours.map(addressIn));
  return () => {
    const met = acquaintances?.() ?? [];
    const own = met.filter(({ isHosted, isAdded }) => isHosted === true || isAdded === true);
    const metAt = new Set(met.map(({ serviceUrl }) => addressOf(serviceUrl)));
    const ownAt = new Set(own.map(({ serviceUrl }) => addressOf(serviceUrl)));
    const openAt = new Set([...ownAt, ...own.flatMap(({ manifest }) => (manifest ? addressIn(manifest) : []))]);
    return {
      isAcquaintance: (serviceUrl) => metAt.has(addressOf(serviceUrl)),
      isTrusted: (serviceUrl) => chosen.has(addressOf(serviceUrl)) || ownAt.has(addressOf(serviceUrl)),
      isOpen({ source, isPublished, manifest }) {
        if (acquaintances !== undefined && hasSecret(manifest.identification.serviceUrl)) return false;
        if (source !== "acquaintance" || isPublished === true) return true;
        return neighbouring.has(addressIn(manifest)) || openAt.has(addressIn(manifest));
      },
    };
  };
}

function addressIn({ identification }: Manifest): string {
  return addressOf(identification.serviceUrl);
}

/** What stands in a query, or before the host, is often a key. */
function hasSecret(serviceUrl: string): boolean {
  if (!/[?@]/u.test(serviceUrl) || !URL.canParse(serviceUrl)) return false;
  const { username, password, search } = new URL(serviceUrl);
  return username !== "" || password !== "" || search !== "";
}
