import type { Manifest } from "@plenary/protocol";
import type { CatalogueEntry, EntryFilter, Query, RankedEntry } from "../catalogue/entry.ts";
import { bestLanguageMatch, primaryOf } from "./language.ts";
import { bestOf, type RankCandidate, rank } from "./rank.ts";
import { parseRequest, type SearchRequest } from "./request.ts";
import { createTermTable, createWordIndex, type Fields, type IndexedCapability, type Term } from "./word-index.ts";

/** Limits of what is indexed per manifest; the catalogue keeps the whole manifest. */
const indexLimits = {
  capabilities: 32,
  keyphrases: 64,
  descriptions: 16,
  phraseCharacters: 120,
  textCharacters: 400,
  /** Over all capabilities. */
  terms: 300,
};
/** Ranked in detail. */
const candidatesMax = 40;
const hitsDefault = 10;

/** The search index of the catalogue; each capability is found by itself (D38). */
export function createIndex(entries: ReadonlyMap<string, CatalogueEntry>) {
  const indexedByKey = new Map<string, readonly IndexedCapability[]>();
  const terms = createTermTable();
  const words = createWordIndex(terms);
  const speakers = createLanguageIndex();
  let nextId = 0;
  return {
    /** Returns the number of indexed terms. */
    add({ key, manifest }: CatalogueEntry): number {
      const about = fieldReader(manifest, terms.read);
      const indexed = numbersOf(manifest).map((capability): IndexedCapability => {
        nextId += 1;
        const fields = about(capability);
        return { id: nextId, key, capability, fields, length: 0, isGone: false, relevance: 0, search: 0 };
      });
      for (const one of indexed) {
        words.add(one);
        speakers.add(one, languagesOf(manifest, one.capability) ?? []);
      }
      indexedByKey.set(key, indexed);
      return indexed.reduce((sum, { length }) => sum + length, 0);
    },
    remove({ key, manifest }: CatalogueEntry) {
      for (const one of indexedByKey.get(key) ?? []) {
        words.remove(one);
        speakers.remove(one, languagesOf(manifest, one.capability) ?? []);
      }
      indexedByKey.delete(key);
    },
    /** One search; the results are filtered and ranked per filter. */
    find(query: Query, groups: readonly EntryFilter[], now: number): (readonly RankedEntry[])[] {
      const request = parseRequest(query, words.vocabulary);
      const found = isLanguageOnly(request) ? speakers.of(request) : words.search(request.wanted);
      const isAble = languageFilter(request);
      const ranked = ({ matches = () => true, limit = hitsDefault }: EntryFilter) => {
        const isFit = (isAnonymous: boolean) => (one: IndexedCapability) => {
          const known = entries.get(one.key);
          if (known === undefined || (known.isAnonymous === true) !== isAnonymous) return false;
          return isAble(one, known) && matches(known);
        };
        // Separate limits: many anonymous entries must not displace the others.
        const likely = [false, true].flatMap((isAnonymous) =>
          bestOf(found, candidatesMax, isBefore, isFit(isAnonymous)),
        );
        const candidates = likely.flatMap(({ key, capability, fields, relevance }): RankCandidate | [] => {
          const known = entries.get(key);
          return known === undefined ? [] : { known, capability, fields, relevance };
        });
        return rank(request, candidates, now, limit);
      };
      return groups.map(ranked);
    },
  };
}

function isBefore(one: IndexedCapability, other: IndexedCapability): boolean {
  return one.relevance > other.relevance || (one.relevance === other.relevance && one.id < other.id);
}

/** Capabilities by their listed languages. */
function createLanguageIndex() {
  const byLanguage = new Map<string, Set<IndexedCapability>>();
  return {
    add(one: IndexedCapability, languages: readonly string[]) {
      for (const language of languages.map(primaryOf)) {
        const speakers = byLanguage.get(language) ?? new Set();
        byLanguage.set(language, speakers.add(one));
      }
    },
    remove(one: IndexedCapability, languages: readonly string[]) {
      for (const language of languages.map(primaryOf)) {
        const speakers = byLanguage.get(language);
        speakers?.delete(one);
        if (speakers?.size === 0) byLanguage.delete(language);
      }
    },
    /** For the first requested language, all with the same relevance. */
    of({ wanted }: SearchRequest): IndexedCapability[] {
      const found = [...(byLanguage.get(primaryOf(wanted[0]?.language ?? "")) ?? [])];
      for (const one of found) one.relevance = 1;
      return found;
    },
  };
}

/** Such as "someone who speaks Welsh". */
function isLanguageOnly({ wanted }: SearchRequest): boolean {
  return wanted.length > 0 && wanted.every(({ language }) => language !== undefined);
}

/** Drops candidates without a required language, unless the language is their topic. */
function languageFilter(request: SearchRequest) {
  const isAlone = isLanguageOnly(request);
  const asked = isAlone ? request.wanted : request.wanted.filter(({ isDemanded }) => isDemanded);
  return ({ capability, fields }: IndexedCapability, { manifest }: CatalogueEntry) => {
    const known = languagesOf(manifest, capability);
    return asked.every(({ language = "", terms }) => {
      if (known === undefined) return !isAlone;
      return bestLanguageMatch(language, known) !== undefined || (!isAlone && terms.some((term) => isIn(fields, term)));
    });
  };
}

function isIn({ keyphrases, name, about, who }: Fields, term: Term): boolean {
  return [...keyphrases, name, about, ...who].some((part) => part.includes(term));
}

function languagesOf({ capabilities }: Manifest, at: number | undefined): readonly string[] | undefined {
  return at === undefined ? undefined : capabilities[at]?.languages;
}

function numbersOf({ capabilities }: Manifest): (number | undefined)[] {
  return capabilities.length === 0 ? [undefined] : [...capabilities.slice(0, indexLimits.capabilities).keys()];
}

/** Reads the fields of each capability; those of the agent once. The synopsis is not indexed (see rank.ts). */
function fieldReader({ identification, capabilities }: Manifest, read: (text: string) => Term[]) {
  const { conversationalName, organization, department = "", role = "" } = identification;
  let left = indexLimits.terms;
  const bounded = (text: string): Term[] => {
    const found = left <= 0 ? [] : read(text);
    left -= found.length;
    return found;
  };
  const phrase = (text: string) => bounded(text.slice(0, indexLimits.phraseCharacters));
  const [name, who] = [phrase(conversationalName), [role, department, organization].map(phrase)];
  return (at: number | undefined): Fields => {
    const { keyphrases = [], descriptions = [] } = at === undefined ? {} : (capabilities[at] ?? {});
    const texts = descriptions
      .slice(0, indexLimits.descriptions)
      .map((text) => text.slice(0, indexLimits.textCharacters));
    return {
      keyphrases: keyphrases.slice(0, indexLimits.keyphrases).flatMap((text) => (left <= 0 ? [] : [phrase(text)])),
      name,
      about: bounded(texts.join("\n")),
      who,
    };
  };
}
