import { foldUri, type Manifest } from "@plenary/protocol";
import { type CatalogueStore, createWriteBehind, type StoredManifest } from "@plenary/sdk";
import { languageNames } from "../search/language.ts";
import { createIndex } from "../search/manifest-index.ts";
import {
  addressOf,
  type CatalogueEntry,
  type CatalogueLimits,
  createEntryTable,
  type EntryFilter,
  fromText,
  type Health,
  isExpired,
  isStale,
  isVerified,
  keyOf,
  partsOf,
  type Query,
  type Source,
  sizeOf,
  toText,
} from "./entry.ts";

/** Where a manifest comes from, and when (RFC 3339). `reportedBy` and `isAnonymous` as in `CatalogueEntry`. */
type Provenance = {
  at: string;
  source: Source;
  reportedBy?: string;
  isAnonymous?: boolean;
  isAdded?: boolean;
  isPublished?: boolean;
};

export type CatalogueOptions = {
  now: () => number;
  /** A write failed; it is retried. */
  onError?: (error: unknown) => void;
  limits?: Partial<CatalogueLimits>;
};

export type Catalogue = ReturnType<typeof createCatalogue>;

const defaultLimits: CatalogueLimits = {
  manifestsMax: 50_000,
  bytesInAllMax: 128 * 1_048_576,
  termsInAllMax: 1_500_000,
  perReporterMax: 5_000,
  perOriginMax: 5_000,
  reportedBytesMax: 8 * 1_048_576,
  reportedTermsMax: 100_000,
  perNetworkAddressMax: 100,
};
/** For a catalogue that only strangers fill. */
export const limitsForStrangers: Partial<CatalogueLimits> = {
  manifestsMax: 10_000,
  reportedBytesMax: 2 * 1_048_576,
  reportedTermsMax: 30_000,
};
/** Entries indexed at once before the event loop continues. */
const loadedAtOnce = 200;
const expiringMs = 60_000;
const writeAfterMs = 1_000;
const batchMax = 500;

/**
 * The manifests that a discovery agent knows, by speakerUri and serviceUrl: in memory, with a search index and write-behind to
 * the store. Without a store they last as long as the process.
 */
export function createCatalogue(store: CatalogueStore | undefined, options: CatalogueOptions) {
  const table = createEntryTable({ ...defaultLimits, ...options.limits });
  const index = createIndex(table.entries);
  const writeBehind = store && createEntryWriter(store, table.entries, options.onError);
  const drop = (known: CatalogueEntry) => {
    table.remove(known);
    index.remove(known);
    writeBehind?.note(known.key);
  };
  const put = (known: CatalogueEntry) => {
    const before = table.entries.get(known.key);
    const isIndexed = before?.manifest === known.manifest;
    if (before !== undefined && !isIndexed) index.remove(before);
    table.put(known, isIndexed ? table.termsOf(known.key) : index.add(known));
  };
  const current = createExpiry(table, drop, options.now);
  return {
    /** Reads the entries of earlier processes. */
    async load() {
      // Loads the language names now, so that the first search does not wait for them.
      languageNames();
      for (const [at, known] of parsedInOrder((await store?.manifests()) ?? []).entries()) {
        // An entry that arrived during the load is newer.
        if (!table.entries.has(known.key)) put(known);
        if (at % loadedAtOnce === loadedAtOnce - 1) await new Promise((resolve) => setImmediate(resolve));
      }
      makeRoom(table, drop);
    },
    /**
     * added: a new entry or new content. known: no new content, or a report about an agent whose own manifest is known.
     * refused: too large, no callable address, a report about a speaker verified at another address, or no room.
     */
    add(manifest: Manifest, provenance: Provenance): "added" | "known" | "refused" {
      const known = entryFor(table, manifest, provenance, current().time);
      if (typeof known === "string") return known;
      const before = table.entries.get(known.key);
      put(known);
      writeBehind?.note(known.key);
      if (isVerified(known)) for (const one of elsewhere(table, known.key)) if (!isVerified(one)) drop(one);
      makeRoom(table, drop, known);
      if (!table.entries.has(known.key)) return "refused";
      return known.manifest === before?.manifest ? "known" : "added";
    },
    health(serviceUrl: string, health: Health, at: string) {
      for (const known of table.atAddress(addressOf(serviceUrl))) {
        table.entries.set(known.key, { ...known, health, healthAt: at });
        // A new `healthAt` alone is not worth a write.
        if (known.health !== health) writeBehind?.note(known.key);
      }
    },
    /** False for an unknown key. */
    forget(key: string) {
      const known = table.entries.get(key);
      if (known !== undefined) drop(known);
      return known !== undefined;
    },
    all: () => [...current().table.entries.values()],
    get size() {
      return table.entries.size;
    },
    /** Best first; empty when no entry matches. */
    find: (query: Query) => index.find(query, [query], current().time)[0] ?? [],
    /** One search for several filters; each has its own result. */
    findEach: (query: Query, groups: readonly EntryFilter[]) => index.find(query, groups, current().time),
    /** The entries of a speaker, one per address. */
    withSpeaker: (speakerUri: string) => current().table.withSpeaker(foldUri(speakerUri)),
    /** True if the speaker is verified at another address and not at this one. */
    isElsewhere: ({ identification }: Manifest) => isElsewhere(table, keyOf(identification)),
    /** The entries of an address, one per speaker. */
    atService: (serviceUrl: string) => table.atAddress(addressOf(serviceUrl)),
    /** Saves pending changes. */
    close: async () => writeBehind?.close(),
  };
}

function createEntryWriter(
  store: CatalogueStore,
  entries: ReadonlyMap<string, CatalogueEntry>,
  onError: (error: unknown) => void = () => {},
) {
  return createWriteBehind({
    textAt: (key) => {
      const known = entries.get(key);
      return known && toText(known);
    },
    write: (change) => store.keepManifests(change),
    batchMax,
    schedule: (callback) => {
      const timer = setTimeout(callback, writeAfterMs);
      // The timer does not keep the process alive; `close` saves the rest.
      timer.unref();
      return () => clearTimeout(timer);
    },
    onError,
  });
}

type EntryTable = ReturnType<typeof createEntryTable>;

/** The new entry, or why there is none. */
function entryFor(
  table: EntryTable,
  manifest: Manifest,
  provenance: Provenance,
  now: number,
): CatalogueEntry | "known" | "refused" {
  const size = sizeOf(manifest);
  if (size === undefined) return "refused";
  const isReport = provenance.source === "reported";
  if (isReport && isElsewhere(table, size.key)) return "refused";
  const before = table.entries.get(size.key);
  if (before !== undefined && !mayReplace(provenance, before, now)) return "known";
  if (before === undefined && isReport && table.isOriginFull(size.key)) return "refused";
  return { ...size, ...provenanceFields(provenance, before), manifest: reuseIfSame(before?.manifest, manifest) };
}

/** The same speakerUri at other addresses. */
function elsewhere(table: EntryTable, key: string): CatalogueEntry[] {
  return table.withSpeaker(partsOf(key).speaker).filter((known) => known.key !== key);
}

function isElsewhere(table: EntryTable, key: string): boolean {
  const here = table.entries.get(key);
  return !(here !== undefined && isVerified(here)) && elsewhere(table, key).some(isVerified);
}

function makeRoom({ surplus }: EntryTable, drop: (known: CatalogueEntry) => void, newest?: CatalogueEntry): void {
  for (let one = surplus(newest); one !== undefined; one = surplus(newest)) drop(one);
}

/** Drops expired anonymous entries, at most once a minute. */
function createExpiry(table: EntryTable, drop: (known: CatalogueEntry) => void, now: () => number) {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const time = now();
    if (Math.abs(time - lookedAt) < expiringMs) return { table, time };
    lookedAt = time;
    for (const known of table.reported()) if (isExpired(known, time)) drop(known);
    return { table, time };
  };
}

/** By `heardAt`; unreadable entries are left out. */
function parsedInOrder(kept: readonly StoredManifest[]): CatalogueEntry[] {
  const known = kept.flatMap(({ key, known: text }) => fromText(key, text) ?? []);
  return known.sort((one, other) => (one.heardAt < other.heardAt ? -1 : one.heardAt > other.heardAt ? 1 : 0));
}

/** The stored object if both are equal: it is indexed already. */
function reuseIfSame(before: Manifest | undefined, manifest: Manifest): Manifest {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(manifest) ? before : manifest;
}

function provenanceFields(
  { at, source, reportedBy, isAnonymous, isAdded, isPublished }: Provenance,
  before: CatalogueEntry | undefined,
) {
  const { health, healthAt } = before ?? {};
  return {
    source,
    heardAt: at,
    ...(source === "reported" && reportedBy !== undefined && { reportedBy }),
    ...(source === "reported" && isAnonymous && { isAnonymous: true as const }),
    ...((isAdded || before?.isAdded) && { isAdded: true as const }),
    ...((isPublished || before?.isPublished) && { isPublished: true as const }),
    ...(health !== undefined && { health }),
    ...(healthAt !== undefined && { healthAt }),
  };
}

/**
 * A report does not replace the agent's own manifest, and an anonymous report does not replace another report. Of two reports
 * of the same kind the first holds, until its reporter sends another or it is stale.
 */
function mayReplace(provenance: Provenance, before: CatalogueEntry, now: number): boolean {
  if (provenance.source !== "reported") return true;
  if (before.source !== "reported") return false;
  const wasAnonymous = before.isAnonymous === true;
  if ((provenance.isAnonymous === true) !== wasAnonymous) return wasAnonymous;
  return provenance.reportedBy === before.reportedBy || isStale(before, now);
}
