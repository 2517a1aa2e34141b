import type { Manifest } from "@plenary/protocol";
import type { Group, Known, Query, Ranked } from "../catalogue/entry.ts";
import { primaryOf, servedBy } from "./language.ts";
import { type Candidate, rank } from "./rank.ts";
import { type Request, readRequest } from "./request.ts";
import { createTerms, type Fields, type Indexed, type Term } from "./terms.ts";
import { createWords, likeliest } from "./word-index.ts";

/** So much of a manifest can be found; the rest is kept and told all the same. */
const findable = {
  ...{ capabilities: 32, keyphrases: 64, descriptions: 16, phraseCharacters: 120, textCharacters: 400 },
  /** Of all of its capabilities. */
  terms: 300,
};
/** Looked at closely. */
const candidatesMax = 40;
const hitsDefault = 10;

/** What people may need of whom, by words; each capability object is found by itself (D38). */
export function createIndex(entries: ReadonlyMap<string, Known>) {
  const indexedByKey = new Map<string, readonly Indexed[]>();
  const terms = createTerms();
  const words = createWords(terms);
  const speakers = createSpeakers();
  let nextId = 0;
  return {
    /** How many words of it can be found. */
    add({ key, manifest }: Known): number {
      const about = readerOf(manifest, terms.read);
      const indexed = numbersOf(manifest).map((capability): Indexed => {
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
    remove({ key, manifest }: Known) {
      for (const one of indexedByKey.get(key) ?? []) {
        words.remove(one);
        speakers.remove(one, languagesOf(manifest, one.capability) ?? []);
      }
      indexedByKey.delete(key);
    },
    /** One search, whose findings are ranked for each group by themselves. */
    find(query: Query, groups: readonly Group[], now: number): (readonly Ranked[])[] {
      const request = readRequest(query, words.vocabulary);
      const found = isOfLanguageAlone(request) ? speakers.of(request) : words.search(request.wanted);
      const isAble = abilityIn(request);
      const ranked = ({ isMeant = () => true, limit = hitsDefault }: Group) => {
        const isFit = (isAnonymous: boolean) => (one: Indexed) => {
          const known = entries.get(one.key);
          if (known === undefined || (known.isAnonymous === true) !== isAnonymous) return false;
          return isAble(one, known) && isMeant(known);
        };
        // By themselves: strangers may tell of so many that nobody else would be looked at.
        const likely = [false, true].flatMap((isAnonymous) => likeliest(found, candidatesMax, isFit(isAnonymous)));
        const candidates = likely.flatMap((one): Candidate | [] => {
          const known = entries.get(one.key);
          const { capability, fields, relevance } = one;
          return known === undefined ? [] : { known, capability, fields, relevance };
        });
        return rank(request, candidates, now, limit);
      };
      return groups.map(ranked);
    },
  };
}

/** Who says that it speaks which language. */
function createSpeakers() {
  const byLanguage = new Map<string, Set<Indexed>>();
  return {
    add(one: Indexed, languages: readonly string[]) {
      for (const language of languages.map(primaryOf)) {
        const speakers = byLanguage.get(language) ?? new Set();
        byLanguage.set(language, speakers.add(one));
      }
    },
    remove(one: Indexed, languages: readonly string[]) {
      for (const language of languages.map(primaryOf)) {
        const speakers = byLanguage.get(language);
        speakers?.delete(one);
        if (speakers?.size === 0) byLanguage.delete(language);
      }
    },
    /** Whoever speaks the first that is asked for, each as good as the other. */
    of({ wanted }: Request): Indexed[] {
      const found = [...(byLanguage.get(primaryOf(wanted[0]?.language ?? "")) ?? [])];
      for (const one of found) one.relevance = 1;
      return found;
    },
  };
}

/** Somebody who speaks Welsh, whatever else they do. */
function isOfLanguageAlone({ wanted }: Request): boolean {
  return wanted.length > 0 && wanted.every(({ language }) => language !== undefined);
}

/** Whoever cannot serve in a language that is demanded takes no place among the candidates, unless it is its subject. */
function abilityIn(request: Request) {
  const isAlone = isOfLanguageAlone(request);
  const asked = isAlone ? request.wanted : request.wanted.filter(({ isDemanded }) => isDemanded);
  return ({ capability, fields }: Indexed, { manifest }: Known) => {
    const known = languagesOf(manifest, capability);
    return asked.every(({ language = "", terms }) => {
      if (known === undefined) return !isAlone;
      return servedBy(language, known) !== undefined || (!isAlone && terms.some((term) => isIn(fields, term)));
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
  return capabilities.length === 0 ? [undefined] : [...capabilities.slice(0, findable.capabilities).keys()];
}

/** Reads each capability; what is said of its agent is read once. The synopsis finds nobody (see score.ts). */
function readerOf({ identification, capabilities }: Manifest, read: (text: string) => Term[]) {
  const { conversationalName, organization, department = "", role = "" } = identification;
  let left = findable.terms;
  const bounded = (text: string): Term[] => {
    const found = left <= 0 ? [] : read(text);
    left -= found.length;
    return found;
  };
  const phrase = (text: string) => bounded(text.slice(0, findable.phraseCharacters));
  const [name, who] = [phrase(conversationalName), [role, department, organization].map(phrase)];
  return (at: number | undefined): Fields => {
    const { keyphrases = [], descriptions = [] } = at === undefined ? {} : (capabilities[at] ?? {});
    const texts = descriptions.slice(0, findable.descriptions).map((text) => text.slice(0, findable.textCharacters));
    return {
      keyphrases: keyphrases.slice(0, findable.keyphrases).flatMap((text) => (left <= 0 ? [] : [phrase(text)])),
      name,
      about: bounded(texts.join("\n")),
      who,
    };
  };
}
