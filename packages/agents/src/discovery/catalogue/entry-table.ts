import type { CatalogueEntry } from "./entry.ts";

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
  const [bySpeaker, byAddress, reported, inAll] = [createGroups(), createGroups(), createReported(), createSum()];
  const termsOf = (key: string) => termsByKey.get(key) ?? 0;
  const knownAt = (keys: Iterable<string>) => [...keys].flatMap((key) => entries.get(key) ?? []);
  const oldest = (keys: Iterable<string>) => {
    for (const key of keys) {
      const known = entries.get(key);
      if (known !== undefined && known.isAdded === undefined) return known;
    }
    return undefined;
  };
  const isTooMuch = () =>
    entries.size > limits.manifestsMax || inAll.isMoreThan(limits.bytesInAllMax, limits.termsInAllMax);
  return {
    entries,
    /** `terms` is the number of indexed terms. */
    put(known: CatalogueEntry, terms: number) {
      const { speaker, address } = partsOf(known.key);
      entries.set(known.key, known);
      termsByKey.set(known.key, terms);
      bySpeaker.join(speaker, known.key);
      byAddress.join(address, known.key);
      inAll.add(known.bytes, terms);
      if (known.source === "reported") reported.put(known, terms);
    },
    remove(known: CatalogueEntry) {
      const { speaker, address } = partsOf(known.key);
      entries.delete(known.key);
      bySpeaker.leave(speaker, known.key);
      byAddress.leave(address, known.key);
      inAll.add(-known.bytes, -termsOf(known.key));
      if (known.source === "reported") reported.remove(known, termsOf(known.key));
      termsByKey.delete(known.key);
    },
    termsOf,
    /** Oldest first. */
    reported: (): CatalogueEntry[] => knownAt(reported.keys),
    /** `speaker` is folded, as in the key. */
    withSpeaker: (speaker: string): CatalogueEntry[] => knownAt(bySpeaker.of(speaker)),
    atAddress: (address: string): CatalogueEntry[] => knownAt(byAddress.of(address)),
    /** Limits the entries of one server under many names. */
    isOriginFull: (key: string): boolean => reported.atOriginOf(key).size >= limits.perOriginMax,
    /**
     * The next entry to evict, undefined when none has to go: reported entries first, then those from agents themselves, then
     * those added by hand. A reporter over its limit loses its own oldest entry.
     */
    surplus({
      reportedBy,
      isAnonymous,
    }: Pick<CatalogueEntry, "reportedBy" | "isAnonymous"> = {}): CatalogueEntry | undefined {
      const ofReporter = reported.byReporter(reportedBy ?? "");
      const ofReporterMax = isAnonymous === true ? limits.perNetworkAddressMax : limits.perReporterMax;
      const own = ofReporter.size > ofReporterMax ? oldest(ofReporter) : undefined;
      if (own !== undefined) return own;
      if (reported.sum.isMoreThan(limits.reportedBytesMax, limits.reportedTermsMax)) return oldest(reported.keys);
      if (!isTooMuch()) return undefined;
      return oldest(reported.keys) ?? oldest(entries.keys()) ?? entries.values().next().value;
    },
  };
}

/** The entries that other agents reported. */
function createReported() {
  const keys = new Set<string>();
  const [reporters, origins, sum] = [createGroups(), createGroups(), createSum()];
  return {
    keys,
    sum,
    put({ key, bytes, reportedBy }: CatalogueEntry, terms: number) {
      keys.add(key);
      origins.join(originIn(key), key);
      if (reportedBy !== undefined) reporters.join(reportedBy, key);
      sum.add(bytes, terms);
    },
    remove({ key, bytes, reportedBy }: CatalogueEntry, terms: number) {
      keys.delete(key);
      origins.leave(originIn(key), key);
      if (reportedBy !== undefined) reporters.leave(reportedBy, key);
      sum.add(-bytes, -terms);
    },
    byReporter: reporters.of,
    atOriginOf: (key: string) => origins.of(originIn(key)),
  };
}

function createSum() {
  let [bytes, terms] = [0, 0];
  return {
    add(moreBytes: number, moreTerms: number) {
      bytes += moreBytes;
      terms += moreTerms;
    },
    isMoreThan: (bytesMax: number, termsMax: number) => bytes > bytesMax || terms > termsMax,
  };
}

function createGroups() {
  const groups = new Map<string, Set<string>>();
  const none: ReadonlySet<string> = new Set();
  return {
    of: (name: string): ReadonlySet<string> => groups.get(name) ?? none,
    join(name: string, key: string) {
      groups.set(name, (groups.get(name) ?? new Set()).add(key));
    },
    leave(name: string, key: string) {
      const left = groups.get(name);
      left?.delete(key);
      if (left?.size === 0) groups.delete(name);
    },
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
