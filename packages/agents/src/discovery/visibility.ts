// Who is told of whom, and of how much.
import { isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import type { Known } from "./catalogue/entry.ts";
import type { Crawl } from "./crawl/crawler.ts";
import type { Allowance } from "./quotas.ts";

export type Audience = {
  /** This agent, by whatever name or address, and whoever asks. */
  isHidden: (manifest: Manifest) => boolean;
  /** Whoever may be recommended for a task. */
  isServing: (known: Known) => boolean;
  /** Whoever may be recommended as a discovery agent. */
  isGuide: (known: Known) => boolean;
  /** Whoever may be told of at all. */
  isShown: (known: Known) => boolean;
};

type Asking = { self: Sender; asker: Sender };

/**
 * The floor asks for whoever may host, who may see whom it knows; it then asks the discovery agents that it is led to, so
 * that only those are named as such to which somebody with a right to it has agreed.
 */
export function audienceOf({ self, asker }: Asking, crawl: Crawl, isHost: (sender: Sender) => boolean): Audience {
  const { isOpen, isTrusted } = crawl.circle();
  const isForHost = isHost(asker);
  const isHidden = ({ identification }: Manifest) =>
    crawl.isSelf(identification) ||
    (self.serviceUrl !== undefined && isSameUri(identification.serviceUrl, self.serviceUrl)) ||
    isSameUri(identification.speakerUri, asker.speakerUri);
  const isShown = (known: Known) => !isHidden(known.manifest) && (isForHost || isOpen(known));
  const isLeading = ({ manifest: { identification } }: Known) => !isForHost || isTrusted(identification.serviceUrl);
  return {
    isHidden,
    isShown,
    isServing: (known) => isShown(known) && !(isOnlyDiscovery(known.manifest) && isLeading(known)),
    isGuide: (known) => isShown(known) && isLeading(known),
  };
}

/** Anybody may say of anybody that it is a discovery agent: nobody is left out for that. */
export function isOnlyDiscovery({ identification }: Manifest): boolean {
  return identification.openFloorRoles?.discovery === true;
}

/** The first that there is room for in an answer. */
export function fitting<Told extends { manifest: Manifest }>(told: readonly Told[], { takeBytes }: Allowance): Told[] {
  return told.filter(({ manifest }) => takeBytes(Buffer.byteLength(JSON.stringify(manifest))));
}
