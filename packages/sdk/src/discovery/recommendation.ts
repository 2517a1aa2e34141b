import { type FloorEvent, foldUri, recordOf, type ScoredManifest } from "@plenary/protocol";

/** Why an agent is recommended. All of it is untrusted text: show it, never execute it. */
export type Reasons = {
  /** Words of the manifest that match the task, the most important first. */
  words: readonly string[];
  /** The index of the matching capability (D38). */
  capability?: number;
  /** The requested language that this capability supports, BCP 47. */
  language?: string;
  /** The requested layers that it supports as input or output. */
  layers?: readonly string[];
  health?: "answering" | "silent" | "failing";
  /** When its manifest was last received, from itself or from another agent; RFC 3339. */
  heardAt?: string;
  /** The manifest came from another agent and was not verified at the address of this one. */
  isUnverified?: true;
  /** The discovery agent that recommended it; absent when the asked agent did. */
  via?: string;
};

/** A servicing agent, or a discovery agent that may know one. */
export type FoundAgent = { kind: "servicing" | "discovery"; manifest: ScoredManifest; reasons?: Reasons };

/**
 * Our extension, a feature of the private utterance with the task: the agents already asked, the remaining depth, and
 * whether the answer should contain reasons.
 */
export const searchFeature = { name: "search", mimeType: "application/vnd.plenary.search+json" } as const;
export type SearchParameters = {
  /** speakerUris and serviceUrls of the discovery agents already asked. */
  visited?: readonly string[];
  depthLeft?: number;
  isExplained?: boolean;
  /** BCP 47. One of them is enough. The first is also the `lang` of the text, for agents that do not know this feature. */
  languages?: readonly string[];
  /** Layers that are required as input or output. */
  layers?: readonly string[];
};

/** Our extension, a feature of a private utterance beside publishManifests, if the asker requested reasons. */
export const reasonsFeature = { name: "reasons", mimeType: "application/vnd.plenary.reasons+json" } as const;
export type ReasonsPayload = { reasons: readonly (Reasons & { speakerUri: string; serviceUrl: string })[] };

const reasonsMax = 500;
const wordsMax = 12;
const wordMax = 80;
const layersMax = 8;
const uriMax = 2_048;
const healths = ["answering", "silent", "failing"] as const;

/** The reasons in an answer, by manifest. They are untrusted: invalid fields are left out. */
export function reasonsIn(events: readonly FloorEvent[]): (manifest: ScoredManifest) => Reasons | undefined {
  const entries = new Map(events.flatMap(reasonsEntriesIn).slice(0, reasonsMax));
  return ({ identification: { speakerUri, serviceUrl } }) => entries.get(keyOf(speakerUri, serviceUrl));
}

function keyOf(speakerUri: string, serviceUrl: string): string {
  return JSON.stringify([foldUri(speakerUri), foldUri(serviceUrl)]);
}

type ReasonsEntry = [key: string, reasons: Reasons];

function reasonsEntriesIn(event: FloorEvent): ReasonsEntry[] {
  if (event.eventType !== "utterance") return [];
  const feature = event.parameters.dialogEvent.features[reasonsFeature.name];
  if (feature?.mimeType !== reasonsFeature.mimeType) return [];
  return feature.tokens.flatMap(({ value }) => listIn(recordOf(value).reasons)).flatMap(reasonsEntryOf);
}

function reasonsEntryOf(value: unknown): ReasonsEntry[] {
  const entry = recordOf(value);
  const { speakerUri, serviceUrl } = entry;
  if (typeof speakerUri !== "string" || typeof serviceUrl !== "string") return [];
  return [[keyOf(speakerUri, serviceUrl), reasonsOf(entry)]];
}

function reasonsOf(entry: Record<string, unknown>): Reasons {
  const { words, capability, language, layers, health, heardAt, via } = entry;
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
    ...(entry.isUnverified === true && { isUnverified: true }),
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
