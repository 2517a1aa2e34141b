import { foldUri, type Manifest } from "@plenary/protocol";
import type { Reasons } from "@plenary/sdk";

export type Health = "answering" | "silent" | "failing";

/** The source of a manifest: the agent itself, the floor that asked the agent, or another agent. */
export type Source = "itself" | "acquaintance" | "reported";

/** One manifest of the catalogue. Times are RFC 3339. */
export type CatalogueEntry = {
  key: string;
  manifest: Manifest;
  /** Size of the manifest as JSON. */
  bytes: number;
  source: Source;
  /** For `reported`: a speakerUri, or for an anonymous reporter a digest of its network address. */
  reportedBy?: string;
  /** The identity of the reporter is not verified. */
  isAnonymous?: true;
  /** Added by hand: evicted last. */
  isAdded?: true;
  /** The agent published itself, and a floor vouched for it. */
  isPublished?: true;
  /** When the manifest was last received. */
  heardAt: string;
  health?: Health;
  healthAt?: string;
};

export type Query = EntryFilter & {
  /** The task, as people write it. */
  text: string;
  /** Preferred languages (BCP 47). A language named in the text is required. */
  languages?: readonly string[];
  /** Preferred, as are those named in the text. */
  layers?: readonly string[];
};

export type EntryFilter = {
  /** Default: all entries. */
  matches?: (known: CatalogueEntry) => boolean;
  /** Default 10. */
  limit?: number;
};

/** `score` is 0 to 1; 1 is best. */
export type RankedEntry = { known: CatalogueEntry; score: number; reasons: Reasons };

const manifestBytesMax = 65_536;
const addressMax = 2_048;
const staleMs = 7 * 86_400_000;
const anonymousMs = 86_400_000;

/** Older than a week: the agent may have changed or gone. */
export function isStale({ heardAt }: CatalogueEntry, now: number): boolean {
  return now - Date.parse(heardAt) > staleMs;
}

/** The manifest comes from the agent's own address. */
export function isVerified({ source }: CatalogueEntry): boolean {
  return source !== "reported";
}

/** A manifest from a stranger expires after a day, unless it is published again. */
export function isExpired({ isAnonymous, heardAt }: CatalogueEntry, now: number): boolean {
  return isAnonymous === true && now - Date.parse(heardAt) > anonymousMs;
}

/** Speaker and address: the same speakerUri at another address is another entry, as any agent may claim it. */
export function keyOf(speakerUri: string, serviceUrl: string): string {
  return `${foldUri(speakerUri)} ${addressOf(serviceUrl)}`;
}

/** Normalized, for comparison. */
export function addressOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).href : serviceUrl;
}

/** Undefined when the manifest is too large or its address is not callable. */
export function sizeOf(manifest: Manifest): { key: string; bytes: number } | undefined {
  const { speakerUri, serviceUrl } = manifest.identification;
  if (speakerUri.length > addressMax || serviceUrl.length > addressMax) return undefined;
  if (!/^(?:https?|wss?):$/u.test(URL.canParse(serviceUrl) ? new URL(serviceUrl).protocol : "")) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(manifest));
  return bytes > manifestBytesMax ? undefined : { key: keyOf(speakerUri, serviceUrl), bytes };
}

const formatVersion = 2;
/** Without `isAnonymous`: its reported entries are dropped. */
const versionBefore = 1;

/** The stored format has `told` and `toldBy` instead of `reported` and `reportedBy`. */
type StoredEntry = Omit<CatalogueEntry, "key" | "source" | "reportedBy"> & {
  source: Exclude<Source, "reported"> | "told";
  toldBy?: string;
};

export function toText({ key: _, source, reportedBy, ...entry }: CatalogueEntry): string {
  const known: StoredEntry = {
    ...entry,
    source: source === "reported" ? "told" : source,
    ...(reportedBy !== undefined && { toldBy: reportedBy }),
  };
  return JSON.stringify({ version: formatVersion, known });
}

/** Undefined for an unknown format: the crawler learns the entry again. */
export function fromText(key: string, text: string): CatalogueEntry | undefined {
  try {
    const { version, known }: { version?: number; known?: StoredEntry } = JSON.parse(text) ?? {};
    const isReadable = version === formatVersion || (version === versionBefore && known?.source !== "told");
    if (!isReadable || known === undefined) return undefined;
    const { source, toldBy, ...entry } = known;
    return {
      ...entry,
      key,
      source: source === "told" ? "reported" : source,
      ...(toldBy !== undefined && { reportedBy: toldBy }),
    };
  } catch {
    return undefined;
  }
}
