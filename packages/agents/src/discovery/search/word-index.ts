import MiniSearch from "minisearch";
import type { Vocabulary, Wanted } from "./request.ts";
import type { Fields, Indexed, Term, Terms } from "./terms.ts";

/** So many capabilities are looked through for a request; its rarest words come first. */
const lookedThroughMax = 1_500;
/** Okapi BM25, each word counted once: how much the length of a text matters, and how much a word in its subject. */
const lengthWeight = 0.7;
const saturation = 1.2;
const subjectBoost = 3;
/** Words that are found with a slip of the pen, too: those heard first. They take more room than all else. */
const spelledMax = 50_000;
/** Those that are gone stay behind until they are so many. */
const goneMax = 16;

/** Who has which words. */
export function createWords(terms: Terms) {
  let size = 0;
  let lengthOfAll = 0;
  let searches = 0;
  const spelling = createSpelling();
  const vocabulary: Vocabulary = {
    named: terms.named,
    size: () => size,
    near: (text) => nearIn(spelling, text).map(terms.named).filter(isAnySubject),
  };
  const give = (one: Indexed, found: readonly Term[], isSubject: boolean) => {
    for (const term of found) {
      // It has this already.
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
    add(one: Indexed) {
      const { subjects, others } = partsOf(one.fields);
      for (const part of subjects) give(one, part, true);
      for (const part of others) give(one, part, false);
      size += 1;
      lengthOfAll += one.length;
    },
    remove(one: Indexed) {
      const { subjects, others } = partsOf(one.fields);
      one.isGone = true;
      size -= 1;
      lengthOfAll -= one.length;
      for (const term of new Set(subjects.flat())) term.subjectCount -= 1;
      for (const term of new Set([...subjects, ...others].flat())) {
        term.count -= 1;
        tidy(term);
        if (term.count > 0) continue;
        // Not `discard`: what it leaves is cleared later, while others are added, and that fails.
        if (spelling.has(term.text)) spelling.remove({ term: term.text });
        terms.release(term);
      }
    },
    /** Whoever has one of the words, each with its relevance. */
    search(wanted: readonly Wanted[]): Indexed[] {
      searches += 1;
      const found: Indexed[] = [];
      const lengthShare = (lengthWeight * size) / lengthOfAll;
      const weigh = (list: readonly Indexed[], weight: number) => {
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

/** Each word by itself, to be found by its beginning or with a slip of the pen. */
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

/** The best of those that fit, in their order; what is left out is not sorted. */
export function likeliest(found: readonly Indexed[], max: number, isFit: (one: Indexed) => boolean): Indexed[] {
  const best: Indexed[] = [];
  for (const one of found) {
    const last = best[max - 1];
    if ((last !== undefined && !isBefore(one, last)) || !isFit(one)) continue;
    if (last !== undefined) best.pop();
    let at = best.length;
    for (let other = best[at - 1]; other !== undefined && isBefore(one, other); other = best[at - 1]) at -= 1;
    best.splice(at, 0, one);
  }
  return best;
}

function isBefore(one: Indexed, other: Indexed): boolean {
  return one.relevance > other.relevance || (one.relevance === other.relevance && one.id < other.id);
}

/** Words that everybody has would find everybody: what they add is judged among those that the rarer ones find. */
function rarest(wanted: readonly Wanted[]): Term[] {
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

/** The same beginning, or a letter or two wrong; people seldom miss the first, nor the last of a short word. */
function nearIn(spelling: MiniSearch, term: string): string[] {
  const results = spelling.search(term, {
    prefix: true,
    fuzzy: term.length < 8 ? 1 : 2,
    weights: { fuzzy: 0.45, prefix: 0.4 },
  });
  const near = results.flatMap(({ id }) => (isLike(term, String(id)) ? String(id) : []));
  return [...swappedIn(term).filter((one) => spelling.has(one)), ...near].slice(0, nearMax);
}

/** With two neighbours the wrong way round, the commonest slip of all; but not the first. */
function swappedIn(term: string): string[] {
  return Array.from({ length: Math.max(0, term.length - 2) }, (_, index) => {
    const [one = "", other = ""] = [term[index + 1], term[index + 2]];
    return `${term.slice(0, index + 1)}${other}${one}${term.slice(index + 3)}`;
  }).filter((swapped) => swapped !== term);
}

function isLike(one: string, other: string): boolean {
  if (other.startsWith(one)) return one.length > other.length * 0.6;
  if (one[0] !== other[0] || (one.length <= 4 && one.at(-1) !== other.at(-1))) return false;
  return one.length !== other.length || one.length >= longMin || isMisheard(one, other);
}

/** A short word with another letter in it is mostly another word: a pool is no poll, and a horse no house. */
const longMin = 7;
const alikeSounding = ["ckqsxz", "dt", "bp", "fvw", "gj", "mn", "iy", "ea", "ei", "eo", "ou"];

function isMisheard(one: string, other: string): boolean {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  const isAlike = (letters: string) => letters.includes(one[at] ?? "") && letters.includes(other[at] ?? "");
  return one.length > 4 && alikeSounding.some(isAlike);
}
