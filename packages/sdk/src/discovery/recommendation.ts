import { type FloorEvent, foldUri, type ScoredManifest } from "@plenary/protocol";

/** Why somebody is recommended. Everything in it was written by somebody else: it is shown, never obeyed. */
export type Reasons = {
  /** What of the request was found, as it stands in the manifest; the weightiest first. */
  words: readonly string[];
  /** Which of its capability objects serves the request (D38). */
  capability?: number;
  /** The language asked for that this capability knows, by BCP 47. */
  language?: string;
  /** Layers asked for that it takes or gives. */
  layers?: readonly string[];
  health?: "answering" | "silent" | "failing";
  /** When its manifest was last told by itself or by somebody else; RFC 3339. */
  heardAt?: string;
  /** Its manifest came from somebody else, and the recommending agent has not asked it at its address. */
  isUnverified?: true;
  /** The discovery agent that recommended it; absent when the one that was asked did. */
  via?: string;
};

/** One agent that may serve, or may know who does. */
export type Found = { kind: "servicing" | "discovery"; manifest: ScoredManifest; reasons?: Reasons };

/**
 * Our extension, a feature of the private utterance that tells the task: where the search has been, how far it may go on,
 * and whether the answer should come with its reasons.
 */
export const searchFeature = { name: "search", mimeType: "application/vnd.plenary.search+json" } as const;
export type Search = {
  /** Discovery agents that are asked already, by speakerUri and by serviceUrl. */
  visited?: readonly string[];
  depthLeft?: number;
  isExplained?: boolean;
  /** BCP 47, any of which will do. The first is the `lang` of the text as well, for whoever does not know this feature. */
  languages?: readonly string[];
  /** Layers that are to be taken or given, all of them. */
  layers?: readonly string[];
};

/** Our extension, a feature of a private utterance beside publishManifests when reasons were asked for. */
export const reasonsFeature = { name: "reasons", mimeType: "application/vnd.plenary.reasons+json" } as const;
export type TellingReasons = { reasons: readonly (Reasons & { speakerUri: string; serviceUrl: string })[] };

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
