import { foldUri, type Manifest } from "@plenary/protocol";
import type { Reasons } from "@plenary/sdk";

export type Health = "answering" | "silent" | "failing";

/** Who told a manifest: the agent it is of, the floor that asked that agent, or somebody else. */
export type Source = "itself" | "acquaintance" | "told";

/** One manifest of the catalogue. Times are RFC 3339. */
export type Known = {
  key: string;
  manifest: Manifest;
  /** Of the manifest as JSON. */
  bytes: number;
  source: Source;
  /** Who told it, where that is somebody else: a speakerUri, or of a stranger a mark of its network address. */
  toldBy?: string;
  /** A stranger told it: nobody has checked who that is. */
  isAnonymous?: true;
  /** Somebody added it by hand: it makes room last. */
  isAdded?: true;
  /** It has published itself where a floor vouched for it: it wants to be known. */
  isPublished?: true;
  /** When its manifest was last told. */
  heardAt: string;
  health?: Health;
  healthAt?: string;
};

export type Query = Group & {
  /** What somebody needs, as people say it. */
  text: string;
  /** What whoever asks speaks, by BCP 47: preferred. A language named in the text is demanded. */
  languages?: readonly string[];
  /** Preferred, as are those named in the text. */
  layers?: readonly string[];
};

export type Group = {
  /** Only those. Default: all. */
  isMeant?: (known: Known) => boolean;
  /** Default 10. */
  limit?: number;
};

/** `score` is 0 to 1, the better the nearer to 1. */
export type Ranked = { known: Known; score: number; reasons: Reasons };

const manifestBytesMax = 65_536;
const addressMax = 2_048;
const staleMs = 7 * 86_400_000;
const anonymousMs = 86_400_000;

/** Nobody has told it for a week: it may be gone, or say something else by now. */
export function isStale({ heardAt }: Known, now: number): boolean {
  return now - Date.parse(heardAt) > staleMs;
}

/** The agent itself said so where it is, or the floor has learned it there. */
export function isVerified({ source }: Known): boolean {
  return source !== "told";
}

/** A manifest from a stranger expires after a day, unless it is published again. */
export function isExpired({ isAnonymous, heardAt }: Known, now: number): boolean {
  return isAnonymous === true && now - Date.parse(heardAt) > anonymousMs;
}

/** An identity at an address: the same speaker elsewhere is another entry, for anybody may claim to be it. */
export function keyOf(speakerUri: string, serviceUrl: string): string {
  return `${foldUri(speakerUri)} ${addressOf(serviceUrl)}`;
}

/** However it is written, with a slash at its end or without. */
export function addressOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).href : serviceUrl;
}

/** Undefined when it is too large to be kept, or of somebody who cannot be reached. */
export function measured(manifest: Manifest): { key: string; bytes: number } | undefined {
  const { speakerUri, serviceUrl } = manifest.identification;
  if (speakerUri.length > addressMax || serviceUrl.length > addressMax) return undefined;
  if (!/^(?:https?|wss?):$/u.test(URL.canParse(serviceUrl) ? new URL(serviceUrl).protocol : "")) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(manifest));
  return bytes > manifestBytesMax ? undefined : { key: keyOf(speakerUri, serviceUrl), bytes };
}

const formatVersion = 2;
/** It did not say whether a stranger had told something: that is heard again. */
const versionBefore = 1;

export function toText({ key: _, ...known }: Known): string {
  return JSON.stringify({ version: formatVersion, known });
}

/** Undefined when it was written by a Plenary that kept them in another way: it is heard again. */
export function fromText(key: string, text: string): Known | undefined {
  try {
    const { version, known }: { version?: number; known?: Omit<Known, "key"> } = JSON.parse(text) ?? {};
    const isRight = version === formatVersion || (version === versionBefore && known?.source !== "told");
    return isRight && known !== undefined ? { ...known, key } : undefined;
  } catch {
    return undefined;
  }
}
