import { createHash } from "node:crypto";
import { type EventOf, isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import { addressOf, type Known } from "../catalogue/entry.ts";
import type { Allowance } from "../quotas.ts";
import type { Crawl } from "./crawler.ts";

type Telling = {
  event: EventOf<"publishManifests">;
  sender: Sender;
  /** The floor has checked that the sender is who it says. */
  isSenderSure: boolean;
  /** The network address that it came from, where that is known. */
  caller: string | undefined;
  allowance: Allowance;
  /** False when strangers have told enough for now. */
  takeIntake: (bytes: number) => boolean;
  now: number;
};

/**
 * Keeps what somebody publishes. Who is surely the one it speaks of tells first hand; anybody else merely tells, and what
 * an agent was heard to say when it was asked is changed only by asking it again.
 */
export async function hear(telling: Telling, crawl: Crawl): Promise<void> {
  const { event, sender, isSenderSure, allowance, takeIntake, now } = telling;
  const teller = tellerOf(telling);
  const { servicingManifests = [], discoveryManifests = [] } = event.parameters ?? {};
  const guides = new Set(discoveryManifests);
  const taken = [...servicingManifests, ...discoveryManifests].filter(
    (manifest) => allowance.takeManifest() && (isSenderSure || takeIntake(Buffer.byteLength(JSON.stringify(manifest)))),
  );
  if (taken.length === 0) return;
  await crawl.ready();
  const at = new Date(now).toISOString();
  for (const told of taken) {
    const { score: _, ...manifest } = told;
    const { identification } = manifest;
    if (crawl.isSelf(identification)) continue;
    const isNamed = isSameUri(identification.speakerUri, sender.speakerUri);
    if (isSenderSure && isNamed && isAtHome(manifest, sender)) {
      leaveOthers(manifest, crawl);
      crawl.catalogue.add(manifest, { at, source: "itself", isPublished: true });
    } else if (isNamed && sender.serviceUrl !== undefined && isAtHome(manifest, sender) && wasAsked(manifest, crawl)) {
      if (allowance.takeCall()) crawl.askFor(identification.serviceUrl);
    } else crawl.catalogue.add(manifest, { at, source: "told", ...teller });
    // A stranger would make a discovery agent of anybody.
    if (isSenderSure && guides.has(told)) crawl.noteDiscovery([identification.serviceUrl]);
  }
}

/** A stranger calls itself as it likes, so that it counts by its network address, which is kept as a digest. */
function tellerOf({ sender, isSenderSure, caller = "" }: Telling): { toldBy: string; isAnonymous?: true } {
  if (isSenderSure) return { toldBy: sender.speakerUri };
  const digest = createHash("sha256").update(caller).digest("base64url").slice(0, digestChars);
  return { toldBy: `stranger ${digest}`, isAnonymous: true };
}

const digestChars = 16;

/** Whoever tells of itself is at one place: what it told of others it had before is over. */
function leaveOthers({ identification: { speakerUri, serviceUrl } }: Manifest, { catalogue }: Crawl): void {
  const isElsewhere = ({ source, isPublished, manifest }: Known) =>
    source === "itself" && isPublished && addressOf(manifest.identification.serviceUrl) !== addressOf(serviceUrl);
  for (const { key } of catalogue.withSpeaker(speakerUri).filter(isElsewhere)) catalogue.forget(key);
}

/** It has answered there once: nobody is called because somebody tells of it. */
function wasAsked({ identification: { speakerUri, serviceUrl } }: Manifest, { catalogue }: Crawl): boolean {
  const isIt = ({ source, manifest }: Known) =>
    source === "itself" && isSameUri(manifest.identification.speakerUri, speakerUri);
  return catalogue.atService(serviceUrl).some(isIt);
}

function isAtHome({ identification }: Manifest, { serviceUrl }: Sender): boolean {
  return serviceUrl === undefined || addressOf(serviceUrl) === addressOf(identification.serviceUrl);
}
