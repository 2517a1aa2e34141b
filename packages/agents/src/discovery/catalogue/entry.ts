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
export function keyOf({ speakerUri, serviceUrl }: Manifest["identification"]): string {
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
  return bytes > manifestBytesMax ? undefined : { key: keyOf(manifest.identification), bytes };
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

export type CatalogueLimits = {
  manifestsMax: number;
  bytesInAllMax: number;
  /** Indexed terms, summed over all manifests: the index is much larger than the manifests. */
  termsInAllMax: number;
  /** Of reported entries: any agent that can reach this one may add them. */
  perReporterMax: number;
  /** Of strangers at one network address. */
  perNetworkAddressMax: number;
  perOriginMax: number;
  reportedBytesMax: number;
  reportedTermsMax: number;
};

/** Catalogue entries by key, oldest first, with the sums and groups that eviction needs. */
export function createEntryTable(limits: CatalogueLimits) {
  const entries = new Map<string, CatalogueEntry>();
  const termsByKey = new Map<string, number>();
  const [bySpeaker, byAddress, bySource] = [createGroups(), createGroups(), createGroups()];
  /** Of reported entries only. */
  const [byReporter, byOrigin] = [createGroups(), createGroups()];
  const sums = { all: { bytes: 0, terms: 0 }, reported: { bytes: 0, terms: 0 } };
  const groupsOf = ({ key, source, reportedBy }: CatalogueEntry) => {
    const { speaker, address } = partsOf(key);
    const groups = [bySpeaker.named(speaker), byAddress.named(address), bySource.named(source)];
    if (source === "reported") groups.push(byOrigin.named(originIn(key)));
    if (source === "reported" && reportedBy !== undefined) groups.push(byReporter.named(reportedBy));
    return groups;
  };
  const count = ({ bytes, source }: CatalogueEntry, terms: number, sign: 1 | -1) => {
    for (const sum of source === "reported" ? [sums.all, sums.reported] : [sums.all]) {
      sum.bytes += sign * bytes;
      sum.terms += sign * terms;
    }
  };
  const termsOf = (key: string) => termsByKey.get(key) ?? 0;
  const knownAt = (keys: Iterable<string>) => [...keys].flatMap((key) => entries.get(key) ?? []);
  const oldest = (keys: Iterable<string>) => {
    for (const key of keys) {
      const known = entries.get(key);
      if (known !== undefined && known.isAdded === undefined) return known;
    }
    return undefined;
  };
  const remove = (known: CatalogueEntry) => {
    entries.delete(known.key);
    for (const group of groupsOf(known)) group.leave(known.key);
    count(known, termsOf(known.key), -1);
    termsByKey.delete(known.key);
  };
  return {
    entries,
    /** Replaces an entry with the same key. `terms` is the number of indexed terms. */
    put(known: CatalogueEntry, terms: number) {
      const before = entries.get(known.key);
      if (before !== undefined) remove(before);
      entries.set(known.key, known);
      termsByKey.set(known.key, terms);
      for (const group of groupsOf(known)) group.join(known.key);
      count(known, terms, 1);
    },
    remove,
    termsOf,
    /** Oldest first. */
    reported: () => knownAt(bySource.of("reported")),
    /** `speaker` is folded, as in the key. */
    withSpeaker: (speaker: string) => knownAt(bySpeaker.of(speaker)),
    atAddress: (address: string) => knownAt(byAddress.of(address)),
    /** Limits the entries of one server under many names. */
    isOriginFull: (key: string) => byOrigin.of(originIn(key)).size >= limits.perOriginMax,
    /**
     * The next entry to evict, undefined when none has to go: reported entries first, then those from agents themselves, then
     * those added by hand. A reporter over its limit loses its own oldest entry.
     */
    surplus({ reportedBy = "", isAnonymous }: Pick<CatalogueEntry, "reportedBy" | "isAnonymous"> = {}) {
      const { all, reported } = sums;
      const ofReporter = byReporter.of(reportedBy);
      const ofReporterMax = isAnonymous === true ? limits.perNetworkAddressMax : limits.perReporterMax;
      const own = ofReporter.size > ofReporterMax ? oldest(ofReporter) : undefined;
      if (own !== undefined) return own;
      const oldestReported = oldest(bySource.of("reported"));
      if (reported.bytes > limits.reportedBytesMax || reported.terms > limits.reportedTermsMax) return oldestReported;
      const isTooMuch = all.bytes > limits.bytesInAllMax || all.terms > limits.termsInAllMax;
      if (!isTooMuch && entries.size <= limits.manifestsMax) return undefined;
      return oldestReported ?? oldest(entries.keys()) ?? entries.values().next().value;
    },
  };
}

function createGroups() {
  const groups = new Map<string, Set<string>>();
  const none: ReadonlySet<string> = new Set();
  return {
    of: (name: string): ReadonlySet<string> => groups.get(name) ?? none,
    named: (name: string) => ({
      join(key: string) {
        groups.set(name, (groups.get(name) ?? new Set()).add(key));
      },
      leave(key: string) {
        const left = groups.get(name);
        left?.delete(key);
        if (left?.size === 0) groups.delete(name);
      },
    }),
  };
}

/** An address contains no spaces; a speakerUri may. */
export function partsOf(key: string): { speaker: string; address: string } {
  const space = key.lastIndexOf(" ");
  return { speaker: key.slice(0, space), address: key.slice(space + 1) };
}

function originIn(key: string): string {
  const { address } = partsOf(key);
  return /^[^:]*:\/\/[^/?#]*/u.exec(address)?.[0].toLowerCase() ?? address;
}
