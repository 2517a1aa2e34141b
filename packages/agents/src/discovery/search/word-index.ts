import MiniSearch from "minisearch";
import { eachWord, fold, termOf, wordsOf } from "./tokenize.ts";

/** Limit of capabilities per search; the rarest terms come first. */
const lookedThroughMax = 1_500;
/** Okapi BM25, each term counted once per capability. Keyphrases and names count more. */
const lengthWeight = 0.7;
const saturation = 1.2;
const subjectBoost = 3;
/** Limit of terms in the spelling index, which is larger than all else: the first ones. */
const spelledMax = 50_000;
/** Removed capabilities stay in the lists until there are this many more than live ones. */
const goneMax = 16;

/** An inverted index: term to capabilities. */
export function createWordIndex(terms: TermTable) {
  let size = 0;
  let lengthOfAll = 0;
  let searches = 0;
  const spelling = createSpelling();
  const vocabulary: Vocabulary = {
    named: terms.named,
    size: () => size,
    near: (text) => nearIn(spelling, text).map(terms.named).filter(isAnySubject),
  };
  const give = (one: IndexedCapability, found: readonly Term[], isSubject: boolean) => {
    for (const term of found) {
      // Counted already for this capability.
      if (term.newest === one.id) continue;
      if (term.count === 0 && spelling.documentCount < spelledMax) spelling.add({ term: term.text });
      term.newest = one.id;
      term.count += 1;
      if (isSubject) term.subjectCount += 1;
      (isSubject ? term.subjects : term.others).push(one);
      one.length += 1;
    }
  };
  return {
    vocabulary,
    add(one: IndexedCapability) {
      const { subjects, others } = partsOf(one.fields);
      for (const part of subjects) give(one, part, true);
      for (const part of others) give(one, part, false);
      size += 1;
      lengthOfAll += one.length;
    },
    remove(one: IndexedCapability) {
      const { subjects, others } = partsOf(one.fields);
      one.isGone = true;
      size -= 1;
      lengthOfAll -= one.length;
      for (const term of new Set(subjects.flat())) term.subjectCount -= 1;
      for (const term of new Set([...subjects, ...others].flat())) {
        term.count -= 1;
        tidy(term);
        if (term.count > 0) continue;
        // Not `discard`: MiniSearch vacuums later, during an `add`, and that fails.
        if (spelling.has(term.text)) spelling.remove({ term: term.text });
        terms.release(term);
      }
    },
    /** The capabilities with at least one of the terms, with their relevance. */
    search(wanted: readonly SearchTerm[]): IndexedCapability[] {
      searches += 1;
      const found: IndexedCapability[] = [];
      const lengthShare = (lengthWeight * size) / lengthOfAll;
      const weigh = (list: readonly IndexedCapability[], weight: number) => {
        for (const one of list) {
          if (one.isGone) continue;
          if (one.search !== searches) {
            one.search = searches;
            one.relevance = 0;
            found.push(one);
          }
          const long = 1 - lengthWeight + lengthShare * one.length;
          one.relevance += (weight * (saturation + 1)) / (1 + saturation * long);
        }
      };
      for (const term of rarest(wanted)) {
        const { count } = term;
        const rarity = Math.log(1 + (size - count + 0.5) / (count + 0.5));
        weigh(term.subjects, rarity * subjectBoost);
        weigh(term.others, rarity);
      }
      return found;
    },
  };
}

function isAnySubject({ subjectCount }: Term): boolean {
  return subjectCount > 0;
}

/** Finds terms by prefix and with typos. */
function createSpelling() {
  return new MiniSearch<{ term: string }>({
    fields: ["term"],
    idField: "term",
    tokenize: (text) => [text],
    processTerm: (term) => term,
  });
}

function partsOf({ keyphrases, name, about, who }: Fields) {
  return { subjects: [...keyphrases, name], others: [about, ...who] };
}

function tidy(term: Term): void {
  if (term.subjects.length + term.others.length <= 2 * term.count + goneMax) return;
  term.subjects = term.subjects.filter(({ isGone }) => !isGone);
  term.others = term.others.filter(({ isGone }) => !isGone);
}

/** Common terms would find too many capabilities: they only score those that rarer terms find. */
function rarest(wanted: readonly SearchTerm[]): Term[] {
  const known = wanted.flatMap(({ terms, isTelling }) =>
    terms.filter(({ count }) => count > 0).map((term) => ({ term, isTelling })),
  );
  known.sort((one, other) => Number(other.isTelling) - Number(one.isTelling) || one.term.count - other.term.count);
  let sum = 0;
  return known
    .filter(({ term }, at) => {
      sum += term.count;
      return at === 0 || sum <= lookedThroughMax;
    })
    .map(({ term }) => term);
}

const nearMax = 3;

/** Same prefix, or one or two wrong letters. People seldom miss the first letter, or the last of a short word. */
function nearIn(spelling: MiniSearch, term: string): string[] {
  const results = spelling.search(term, {
    prefix: true,
    fuzzy: term.length < 8 ? 1 : 2,
    weights: { fuzzy: 0.45, prefix: 0.4 },
  });
  const near = results.flatMap(({ id }) => (isPlausibleTypo(term, String(id)) ? String(id) : []));
  return [...swappedIn(term).filter((one) => spelling.has(one)), ...near].slice(0, nearMax);
}

/** With two letters swapped, the most common typo; never the first letter. */
function swappedIn(term: string): string[] {
  return Array.from({ length: Math.max(0, term.length - 2) }, (_, index) => {
    const [one = "", other = ""] = [term[index + 1], term[index + 2]];
    return `${term.slice(0, index + 1)}${other}${one}${term.slice(index + 3)}`;
  }).filter((swapped) => swapped !== term);
}

function isPlausibleTypo(one: string, other: string): boolean {
  if (other.startsWith(one)) return one.length > other.length * 0.6;
  if (one[0] !== other[0] || (one.length <= 4 && one.at(-1) !== other.at(-1))) return false;
  return one.length !== other.length || one.length >= longMin || isSoundAlike(one, other);
}

/** A short word with one other letter is usually another word: pool and poll, horse and house. */
const longMin = 7;
const soundAlikeLetters = ["ckqsxz", "dt", "bp", "fvw", "gj", "mn", "iy", "ea", "ei", "eo", "ou"];

function isSoundAlike(one: string, other: string): boolean {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  const isAlike = (letters: string) => letters.includes(one[at] ?? "") && letters.includes(other[at] ?? "");
  return one.length > 4 && soundAlikeLetters.some(isAlike);
}

/** A term of the catalogue. One shared object per term, so that comparisons are by identity. */
export type Term = {
  text: string;
  /** The number of capabilities with the term, and of those with it in a keyphrase or name. */
  count: number;
  subjectCount: number;
  /** Capabilities with the term in a keyphrase or name, and elsewhere. May contain removed ones. */
  subjects: IndexedCapability[];
  others: IndexedCapability[];
  /** The id of the capability that was added last. */
  newest: number;
};

/** The indexed terms of one capability and its agent. */
export type Fields = {
  keyphrases: readonly (readonly Term[])[];
  name: readonly Term[];
  about: readonly Term[];
  /** Role, department, organization. */
  who: readonly (readonly Term[])[];
};

/** `capability` is the index in the manifest; undefined for an agent without capabilities. */
export type IndexedCapability = {
  /** Ascending in the order of adding. */
  id: number;
  key: string;
  capability: number | undefined;
  fields: Fields;
  /** Number of distinct terms. */
  length: number;
  isGone: boolean;
  /** The relevance in the search with number `search`. */
  relevance: number;
  search: number;
};

export type Vocabulary = {
  named(text: string): Term;
  /** Number of capabilities. */
  size(): number;
  /** Similar terms of the catalogue, most similar first. */
  near(text: string): readonly Term[];
};

type SearchTerm = { terms: readonly Term[]; isTelling: boolean };

export type TermTable = ReturnType<typeof createTermTable>;

const wordsKeptMax = 100_000;

export function createTermTable() {
  const terms = new Map<string, Term>();
  /** A cache; may contain released terms. */
  const termsByWord = new Map<string, Term>();
  const small = termNamed("");
  const kept = (text: string): Term => {
    const known = terms.get(text) ?? termNamed(text);
    terms.set(text, known);
    return known;
  };
  const ofWord = (word: string): Term => {
    const known = termsByWord.get(word);
    if (known !== undefined && (known === small || known.count > 0)) return known;
    const text = termOf(word);
    const term = text === "" ? small : kept(text);
    if (termsByWord.size >= wordsKeptMax) termsByWord.clear();
    termsByWord.set(word, term);
    return term;
  };
  return {
    /** As `termsOf`; the caller releases the terms. */
    read(text: string): Term[] {
      const folded = fold(text);
      const found: Term[] = [];
      eachWord(folded, (word) => {
        const term = ofWord(word);
        if (term !== small) found.push(term);
      });
      return found.length === 0 ? wordsOf(folded).map(kept) : found;
    },
    /** For a request: adds no term to the table. */
    named: (text: string): Term => terms.get(text) ?? termNamed(text),
    /** No capability has it any more. */
    release: ({ text }: Term) => terms.delete(text),
  };
}

function termNamed(text: string): Term {
  return { text, count: 0, subjectCount: 0, subjects: [], others: [], newest: 0 };
}
