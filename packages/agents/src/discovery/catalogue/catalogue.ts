import { foldUri, type Manifest } from "@plenary/protocol";
import type { CatalogueStore, KeptManifest } from "@plenary/sdk";
import { readLanguages } from "../search/language.ts";
import { createIndex } from "../search/manifest-index.ts";
import {
  addressOf,
  fromText,
  type Group,
  type Health,
  isExpired,
  isStale,
  isVerified,
  type Known,
  keyOf,
  measured,
  type Query,
  type Ranked,
  type Source,
  toText,
} from "./entry.ts";
import { createShelf, type Limits, partsOf } from "./entry-table.ts";
import { createDiary } from "./write-behind.ts";

/** Who told a manifest, and when (RFC 3339). `toldBy` and `isAnonymous` as in `Known`. */
type Telling = {
  at: string;
  source: Source;
  toldBy?: string;
  isAnonymous?: boolean;
  isAdded?: boolean;
  isPublished?: boolean;
};

export type CatalogueOptions = {
  now: () => number;
  /** The store did not take something; it is offered again. */
  onError?: (error: unknown) => void;
  limits?: Partial<Limits>;
};

export type Catalogue = {
  /** What earlier processes have heard. */
  load(): Promise<void>;
  /**
   * added: it is new, or says something new. known: nothing new, or somebody else says of an agent what that agent has
   * told itself. refused: too large, at no address, told of a speaker that is known to be elsewhere, or no room is left.
   */
  add(manifest: Manifest, telling: Telling): "added" | "known" | "refused";
  /** How whoever is at this address answers. */
  health(serviceUrl: string, health: Health, at: string): void;
  /** False when it is not known. */
  forget(key: string): boolean;
  all(): readonly Known[];
  readonly size: number;
  /** The best first; nobody when nobody can serve. */
  find(query: Query): readonly Ranked[];
  /** The same for several groups at once, each by itself. */
  findEach(query: Query, groups: readonly Group[]): readonly (readonly Ranked[])[];
  /** At each address that it is said to be at. */
  withSpeaker(speakerUri: string): readonly Known[];
  /** Its speaker is known to be at another address. */
  isElsewhere(manifest: Manifest): boolean;
  /** Each speaker that is said to be there. */
  atService(serviceUrl: string): readonly Known[];
  /** Writes down what is not written yet. */
  close(): Promise<void>;
};

const defaultLimits: Limits = {
  ...{ manifestsMax: 50_000, bytesInAllMax: 128 * 1_048_576, termsInAllMax: 1_500_000 },
  ...{ ofOneTellerMax: 5_000, atOneOriginMax: 5_000, toldBytesMax: 8 * 1_048_576, toldTermsMax: 100_000 },
  ofOneAddressMax: 100,
};
/** Of a catalogue that strangers alone can fill. */
export const limitsForStrangers: Partial<Limits> = {
  ...{ manifestsMax: 10_000, toldBytesMax: 2 * 1_048_576, toldTermsMax: 30_000 },
};
/** So many are made ready before others get their turn. */
const loadedAtOnce = 200;
const expiringMs = 60_000;

/**
 * The manifests that a discovery agent knows, by speakerUri and serviceUrl: learned in memory, written down behind, found
 * by what people need. Without a store it lasts as long as its process.
 */
export function createCatalogue(store: CatalogueStore | undefined, options: CatalogueOptions): Catalogue {
  const shelf = createShelf({ ...defaultLimits, ...options.limits });
  const index = createIndex(shelf.entries);
  const diary = createDiary(store, options.onError ?? (() => {}), (key) => {
    const known = shelf.entries.get(key);
    return known === undefined ? undefined : toText(known);
  });
  const drop = (known: Known) => {
    shelf.remove(known);
    index.remove(known);
    diary.note(known.key);
  };
  const put = (known: Known) => {
    const before = shelf.entries.get(known.key);
    const isIndexed = before?.manifest === known.manifest;
    const termsBefore = shelf.termsOf(known.key);
    if (before !== undefined) shelf.remove(before);
    if (before !== undefined && !isIndexed) index.remove(before);
    shelf.put(known, isIndexed ? termsBefore : index.add(known));
  };
  const makeRoom = (newest?: Known) => {
    for (let one = shelf.surplus(newest); one !== undefined; one = shelf.surplus(newest)) drop(one);
  };
  const current = createExpiry(shelf, drop, options.now);
  const atService = (serviceUrl: string) => shelf.atAddress(addressOf(serviceUrl));
  return {
    async load() {
      // So that the first who asks does not wait for it.
      readLanguages();
      for (const [at, known] of inTime((await store?.manifests()) ?? []).entries()) {
        // What was heard while this was read is newer.
        if (!shelf.entries.has(known.key)) put(known);
        if (at % loadedAtOnce === loadedAtOnce - 1) await new Promise((resolve) => setImmediate(resolve));
      }
      makeRoom();
    },
    add(manifest, telling) {
      const known = judged(shelf, manifest, telling, current().time);
      if (typeof known === "string") return known;
      const before = shelf.entries.get(known.key);
      put(known);
      diary.note(known.key);
      if (isVerified(known)) for (const one of elsewhere(shelf, known.key)) if (!isVerified(one)) drop(one);
      makeRoom(known);
      if (!shelf.entries.has(known.key)) return "refused";
      return known.manifest === before?.manifest ? "known" : "added";
    },
    health(serviceUrl, health, at) {
      for (const known of atService(serviceUrl)) {
        shelf.entries.set(known.key, { ...known, health, healthAt: at });
        // When it was last asked is not worth a write each time.
        if (known.health !== health) diary.note(known.key);
      }
    },
    forget(key) {
      const known = shelf.entries.get(key);
      if (known !== undefined) drop(known);
      return known !== undefined;
    },
    all: () => [...current().shelf.entries.values()],
    get size() {
      return shelf.entries.size;
    },
    find: (query) => index.find(query, [query], current().time)[0] ?? [],
    findEach: (query, groups) => index.find(query, groups, current().time),
    withSpeaker: (speakerUri) => current().shelf.withSpeaker(foldUri(speakerUri)),
    isElsewhere: ({ identification: { speakerUri, serviceUrl } }) => isElsewhere(shelf, keyOf(speakerUri, serviceUrl)),
    atService,
    close: diary.close,
  };
}

type Shelf = ReturnType<typeof createShelf>;

/** The manifest as it is stored, or the reason why it is refused. */
function judged(shelf: Shelf, manifest: Manifest, telling: Telling, now: number): Known | "known" | "refused" {
  const size = measured(manifest);
  if (size === undefined) return "refused";
  const isTold = telling.source === "told";
  if (isTold && isElsewhere(shelf, size.key)) return "refused";
  const before = shelf.entries.get(size.key);
  if (before !== undefined && !isEntitled(telling, before, now)) return "known";
  if (before === undefined && isTold && shelf.isOriginFull(size.key)) return "refused";
  return { ...size, ...toldOf(telling, before), manifest: sameOr(before?.manifest, manifest) };
}

/** The same speakerUri at other addresses. */
function elsewhere(shelf: Shelf, key: string): Known[] {
  return shelf.withSpeaker(partsOf(key).speaker).filter((known) => known.key !== key);
}

function isElsewhere(shelf: Shelf, key: string): boolean {
  const here = shelf.entries.get(key);
  return !(here !== undefined && isVerified(here)) && elsewhere(shelf, key).some(isVerified);
}

/** Drops what strangers told too long ago, at most once a minute, and returns the rest. */
function createExpiry(shelf: Shelf, drop: (known: Known) => void, now: () => number) {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const time = now();
    if (Math.abs(time - lookedAt) < expiringMs) return { shelf, time };
    lookedAt = time;
    for (const known of shelf.told()) if (isExpired(known, time)) drop(known);
    return { shelf, time };
  };
}

/** As they were heard; what cannot be read is left out. */
function inTime(kept: readonly KeptManifest[]): Known[] {
  const known = kept.flatMap(({ key, known: text }) => fromText(key, text) ?? []);
  return known.sort((one, other) => (one.heardAt < other.heardAt ? -1 : one.heardAt > other.heardAt ? 1 : 0));
}

/** The one that is kept already when they say the same: it is indexed. */
function sameOr(before: Manifest | undefined, manifest: Manifest): Manifest {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(manifest) ? before : manifest;
}

function toldOf({ at, source, toldBy, isAnonymous, isAdded, isPublished }: Telling, before: Known | undefined) {
  const { health, healthAt } = before ?? {};
  return {
    ...{ source, heardAt: at },
    ...(source === "told" && toldBy !== undefined && { toldBy }),
    ...(source === "told" && isAnonymous && { isAnonymous: true as const }),
    ...((isAdded || before?.isAdded) && { isAdded: true as const }),
    ...((isPublished || before?.isPublished) && { isPublished: true as const }),
    ...(health !== undefined && { health }),
    ...(healthAt !== undefined && { healthAt }),
  };
}

/**
 * What an agent says of itself is not for others to change, and what somebody known told of it not for strangers. Of what
 * two others say the first holds, until it tells something else itself or has not told it for long.
 */
function isEntitled(telling: Telling, before: Known, now: number): boolean {
  if (telling.source !== "told") return true;
  if (before.source !== "told") return false;
  const wasAnonymous = before.isAnonymous === true;
  if ((telling.isAnonymous === true) !== wasAnonymous) return wasAnonymous;
  return telling.toldBy === before.toldBy || isStale(before, now);
}
