import { isSameUri, type Manifest } from "@plenary/protocol";
import type { Acquaintance } from "@plenary/sdk";
import { keepNewest } from "../../keep-newest.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { addressOf, type Known } from "../catalogue/entry.ts";
import type { Addresses } from "./addresses.ts";
import type { Told } from "./ask.ts";

const seenMax = 5_000;

/** Who was asked: where, whether somebody chose it, and whether it is asked because the floor has talked to it. */
type Whom = { address: string; isChosen: boolean; isAcquaintance: boolean };

/** Puts into the catalogue what is heard of agents, each as it came. */
export function createLearning(catalogue: Catalogue, { isSelf }: Addresses, at: () => string) {
  /** What was learned of each last, so that nothing is done about what has not changed. */
  const seen = new Map<string, string>();
  return {
    neighbour(manifest: Manifest) {
      if (isSelf(manifest.identification)) return;
      catalogue.add(manifest, { at: at(), source: "acquaintance" });
      catalogue.health(manifest.identification.serviceUrl, "answering", at());
    },
    acquaintance({ serviceUrl, manifest, manifestAt, health, askedAt }: Acquaintance) {
      const mark = `${manifestAt} ${health}`;
      if (manifest === undefined || seen.get(serviceUrl) === mark || isSelf(manifest.identification)) return;
      keepNewest(seen, serviceUrl, mark, seenMax);
      catalogue.add(manifest, { at: manifestAt ?? askedAt, source: "acquaintance" });
      catalogue.health(manifest.identification.serviceUrl, health, askedAt);
    },
    /** Whom the floor does not know any more, or knew where it was before it moved, is not recommended for that. */
    forgetGone(acquaintances: readonly Acquaintance[], neighbours: readonly Manifest[]) {
      const told = acquaintances.flatMap(({ serviceUrl, manifest }) => [serviceUrl, ...addressIn(manifest)]);
      const present = new Set([...told, ...neighbours.flatMap(addressIn)].map(addressOf));
      const isGone = ({ source, manifest }: Known) =>
        source === "acquaintance" && !present.has(addressOf(manifest.identification.serviceUrl));
      for (const { key } of catalogue.all().filter(isGone)) catalogue.forget(key);
    },
    /** Of whoever is where it was asked an agent tells first hand; of others, by whatever name, it only tells. */
    told(told: Told, { address, isChosen, isAcquaintance }: Whom) {
      const home = homeOf(told, address, isChosen);
      const source = isAcquaintance && !isChosen ? "acquaintance" : "itself";
      for (const { score: _, ...manifest } of told.manifests) {
        const { identification } = manifest;
        if (isSelf(identification)) continue;
        const isThere = addressOf(identification.serviceUrl) === home;
        if (isThere) catalogue.add(manifest, { at: at(), source, ...(isChosen && { isAdded: true }) });
        else catalogue.add(manifest, { at: at(), source: "told", toldBy: told.speakerUri });
      }
    },
  };
}

/** Whom somebody chose may say that it is at another address than the one that was given. */
function homeOf({ speakerUri, manifests }: Told, address: string, isChosen: boolean): string {
  const addresses = manifests.map(({ identification }) => addressOf(identification.serviceUrl));
  if (!isChosen || addresses.includes(address)) return address;
  const own = manifests.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
  return own === undefined ? address : addressOf(own.identification.serviceUrl);
}

function addressIn(manifest: Manifest | undefined): string[] {
  return manifest === undefined ? [] : [manifest.identification.serviceUrl];
}
