import type { FloorEvent } from "@plenary/protocol";
import { recordOf, wordsOfValue } from "@plenary/protocol";
import { legibleLine } from "./legible.ts";

const manifestsMax = 10;
const keyphrasesMax = 12;

/** What each of the manifests that were shown is for, by what words it is found, and where. */
export function manifestDetails(event: FloorEvent | undefined): string[] {
  if (event?.eventType !== "publishManifests") return [];
  const { servicingManifests, discoveryManifests } = recordOf(event.parameters);
  const manifests = [...listIn(servicingManifests), ...listIn(discoveryManifests)].map(recordOf);
  return manifests
    .slice(0, manifestsMax)
    .map(detailOf)
    .filter((detail) => detail !== "");
}

function detailOf({ identification, capabilities }: Readonly<Record<string, unknown>>): string {
  const { synopsis, serviceUrl } = recordOf(identification);
  const phrases = listIn(capabilities).flatMap((one) => listIn(recordOf(one).keyphrases));
  const found = phrases.flatMap((phrase) => wordsOfValue(phrase) ?? []).slice(0, keyphrasesMax);
  const parts = [wordsOfValue(synopsis), found.length > 0 ? `(${found.join(", ")})` : "", wordsOfValue(serviceUrl)];
  return legibleLine(parts.filter((part) => part).join(" "), 1_000);
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
