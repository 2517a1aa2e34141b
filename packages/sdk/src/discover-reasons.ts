import { type FloorEvent, foldUri, type ScoredManifest } from "@plenary/protocol";
import { type Reasons, reasonsFeature } from "./recommendation.ts";

const reasonsMax = 500;
const wordsMax = 12;
const wordMax = 80;
const layersMax = 8;
const uriMax = 2_048;
const healths = ["answering", "silent", "failing"] as const;

/** Why each is recommended, where the answer says so. Strangers write it: what is odd in it is left out. */
export function reasonsIn(events: readonly FloorEvent[]): (manifest: ScoredManifest) => Reasons | undefined {
  const told = new Map(events.flatMap(tellingsIn).slice(0, reasonsMax));
  return ({ identification: { speakerUri, serviceUrl } }) => told.get(keyOf(speakerUri, serviceUrl));
}

function keyOf(speakerUri: string, serviceUrl: string): string {
  return JSON.stringify([foldUri(speakerUri), foldUri(serviceUrl)]);
}

type Telling = [key: string, reasons: Reasons];

function tellingsIn(event: FloorEvent): Telling[] {
  if (event.eventType !== "utterance") return [];
  const feature = event.parameters.dialogEvent.features[reasonsFeature.name];
  if (feature?.mimeType !== reasonsFeature.mimeType) return [];
  return feature.tokens.flatMap(({ value }) => listIn(recordOf(value).reasons)).flatMap(tellingOf);
}

function tellingOf(value: unknown): Telling[] {
  const told = recordOf(value);
  const { speakerUri, serviceUrl } = told;
  if (typeof speakerUri !== "string" || typeof serviceUrl !== "string") return [];
  return [[keyOf(speakerUri, serviceUrl), reasonsOf(told)]];
}

function reasonsOf(told: Record<string, unknown>): Reasons {
  const { words, capability, language, layers, health, heardAt, via } = told;
  const knownHealth = healths.find((one) => one === health);
  const taken = textsIn(layers).slice(0, layersMax);
  return {
    words: textsIn(words).slice(0, wordsMax),
    ...(typeof capability === "number" && Number.isInteger(capability) && capability >= 0 && { capability }),
    ...(isText(language, wordMax) ? { language } : {}),
    ...(taken.length > 0 && { layers: taken }),
    ...(knownHealth && { health: knownHealth }),
    ...(isText(heardAt, wordMax) && !Number.isNaN(Date.parse(heardAt)) ? { heardAt } : {}),
    ...(isText(via, uriMax) ? { via } : {}),
    ...(told.isUnverified === true && { isUnverified: true }),
  };
}

function textsIn(value: unknown): string[] {
  return listIn(value).filter((one): one is string => isText(one, wordMax));
}

function isText(value: unknown, max: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= max;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
