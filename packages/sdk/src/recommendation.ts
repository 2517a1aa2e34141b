import type { ScoredManifest } from "@plenary/protocol";

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
