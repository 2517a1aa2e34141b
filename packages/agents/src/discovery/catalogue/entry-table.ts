import type { Known } from "./entry.ts";

export type Limits = {
  manifestsMax: number;
  bytesInAllMax: number;
  /** Words that can be found, counted in each manifest: what an index takes is far more than a manifest. */
  termsInAllMax: number;
  /** Of what others told: whoever can reach this agent decides about that. */
  ofOneTellerMax: number;
  /** Of strangers at one network address. */
  ofOneAddressMax: number;
  atOneOriginMax: number;
  toldBytesMax: number;
  toldTermsMax: number;
};

/** Entries in the order they were heard, with what must be known of all of them to keep them few. */
export function createShelf(limits: Limits) {
  /** The one heard of longest ago stands first. */
  const entries = new Map<string, Known>();
  const termsByKey = new Map<string, number>();
  const [bySpeaker, byAddress, told, inAll] = [createGroups(), createGroups(), createTold(), createSum()];
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
    /** `terms` is how many of its words can be found. */
    put(known: Known, terms: number) {
      const { speaker, address } = partsOf(known.key);
      entries.set(known.key, known);
      termsByKey.set(known.key, terms);
      bySpeaker.join(speaker, known.key);
      byAddress.join(address, known.key);
      inAll.add(known.bytes, terms);
      if (known.source === "told") told.put(known, terms);
    },
    remove(known: Known) {
      const { speaker, address } = partsOf(known.key);
      entries.delete(known.key);
      bySpeaker.leave(speaker, known.key);
      byAddress.leave(address, known.key);
      inAll.add(-known.bytes, -termsOf(known.key));
      if (known.source === "told") told.remove(known, termsOf(known.key));
      termsByKey.delete(known.key);
    },
    termsOf,
    /** What others told, the oldest first. */
    told: (): Known[] => knownAt(told.keys),
    /** `speaker` as it stands in a key. */
    withSpeaker: (speaker: string): Known[] => knownAt(bySpeaker.of(speaker)),
    atAddress: (address: string): Known[] => knownAt(byAddress.of(address)),
    /** Whoever has one server has not so many agents, however he calls himself. */
    isOriginFull: (key: string): boolean => told.atOriginOf(key).size >= limits.atOneOriginMax,
    /**
     * The one that makes room next: what others told goes before what agents told themselves, and that before what was
     * added by hand. Who tells too many makes room among its own.
     */
    surplus({ toldBy, isAnonymous }: Pick<Known, "toldBy" | "isAnonymous"> = {}): Known | undefined {
      const ofTeller = told.byTeller(toldBy ?? "");
      const ofTellerMax = isAnonymous === true ? limits.ofOneAddressMax : limits.ofOneTellerMax;
      const own = ofTeller.size > ofTellerMax ? oldest(ofTeller) : undefined;
      if (own !== undefined) return own;
      if (told.sum.isMoreThan(limits.toldBytesMax, limits.toldTermsMax)) return oldest(told.keys);
      if (!isTooMuch()) return undefined;
      return oldest(told.keys) ?? oldest(entries.keys()) ?? entries.values().next().value;
    },
  };
}

/** What others told, the oldest first. */
function createTold() {
  const keys = new Set<string>();
  const [tellers, origins, sum] = [createGroups(), createGroups(), createSum()];
  return {
    ...{ keys, sum },
    put({ key, bytes, toldBy }: Known, terms: number) {
      keys.add(key);
      origins.join(originIn(key), key);
      if (toldBy !== undefined) tellers.join(toldBy, key);
      sum.add(bytes, terms);
    },
    remove({ key, bytes, toldBy }: Known, terms: number) {
      keys.delete(key);
      origins.leave(originIn(key), key);
      if (toldBy !== undefined) tellers.leave(toldBy, key);
      sum.add(-bytes, -terms);
    },
    byTeller: tellers.of,
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

/** Keys by something that several share. */
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

/** An address has no spaces; the name of a speaker may have. */
export function partsOf(key: string): { speaker: string; address: string } {
  const space = key.lastIndexOf(" ");
  return { speaker: key.slice(0, space), address: key.slice(space + 1) };
}

function originIn(key: string): string {
  const { address } = partsOf(key);
  return /^[^:]*:\/\/[^/?#]*/u.exec(address)?.[0].toLowerCase() ?? address;
}
