import { createHash } from "node:crypto";
import { type EventOf, isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import { addressOf, type CatalogueEntry } from "../catalogue/entry.ts";
import type { EnvelopeQuota } from "../quotas.ts";
import type { Crawler } from "./crawler.ts";

type ReceivedManifests = {
  event: EventOf<"publishManifests">;
  sender: Sender;
  /** The floor has verified the sender. */
  isSenderSure: boolean;
  /** The network address of the request, if known. */
  caller: string | undefined;
  quota: EnvelopeQuota;
  /** False when the rate limit for anonymous senders is reached. */
  takeIntake: (bytes: number) => boolean;
  now: number;
};

/**
 * Adds published manifests to the catalogue. A verified sender's own manifest counts as first-hand, all others as reported. An
 * agent that once answered at its address is asked again instead.
 */
export async function receiveManifests(received: ReceivedManifests, crawler: Crawler): Promise<void> {
  const { event, sender, isSenderSure, quota, takeIntake, now } = received;
  const reporter = reporterOf(received);
  const { servicingManifests = [], discoveryManifests = [] } = event.parameters ?? {};
  const discoveryAgents = new Set(discoveryManifests);
  const taken = [...servicingManifests, ...discoveryManifests].filter(
    (manifest) => quota("manifests") && (isSenderSure || takeIntake(Buffer.byteLength(JSON.stringify(manifest)))),
  );
  if (taken.length === 0) return;
  await crawler.ready();
  const at = new Date(now).toISOString();
  for (const published of taken) {
    const { score: _, ...manifest } = published;
    const { identification } = manifest;
    if (crawler.isSelf(identification)) continue;
    const isOwn = isSameUri(identification.speakerUri, sender.speakerUri) && isAtHome(manifest, sender);
    if (isSenderSure && isOwn) {
      forgetOtherAddresses(manifest, crawler);
      crawler.catalogue.add(manifest, { at, source: "itself", isPublished: true });
    } else if (isOwn && sender.serviceUrl !== undefined && wasAsked(manifest, crawler)) {
      if (quota("calls")) crawler.askFor(identification.serviceUrl);
    } else crawler.catalogue.add(manifest, { at, source: "reported", ...reporter });
    // Only verified senders may name discovery agents.
    if (isSenderSure && discoveryAgents.has(published)) crawler.noteDiscovery([identification.serviceUrl]);
  }
}

/** Anonymous senders can use any name, so they are counted by a digest of their network address. */
function reporterOf({ sender, isSenderSure, caller = "" }: ReceivedManifests) {
  if (isSenderSure) return { reportedBy: sender.speakerUri };
  const digest = createHash("sha256").update(caller).digest("base64url").slice(0, digestChars);
  return { reportedBy: `stranger ${digest}`, isAnonymous: true };
}

const digestChars = 16;

/** A verified agent has one address: drops the entries that it published for others before. */
function forgetOtherAddresses({ identification: { speakerUri, serviceUrl } }: Manifest, { catalogue }: Crawler): void {
  const isElsewhere = ({ source, isPublished, manifest }: CatalogueEntry) =>
    source === "itself" && isPublished && addressOf(manifest.identification.serviceUrl) !== addressOf(serviceUrl);
  for (const { key } of catalogue.withSpeaker(speakerUri).filter(isElsewhere)) catalogue.forget(key);
}

/** True if the agent has answered at this address before: a report alone causes no call. */
function wasAsked({ identification: { speakerUri, serviceUrl } }: Manifest, { catalogue }: Crawler): boolean {
  const isIt = ({ source, manifest }: CatalogueEntry) =>
    source === "itself" && isSameUri(manifest.identification.speakerUri, speakerUri);
  return catalogue.atService(serviceUrl).some(isIt);
}

function isAtHome({ identification }: Manifest, { serviceUrl }: Sender): boolean {
  return serviceUrl === undefined || addressOf(serviceUrl) === addressOf(identification.serviceUrl);
}
