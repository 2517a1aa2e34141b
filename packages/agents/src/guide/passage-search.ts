import MiniSearch, { type SearchResult } from "minisearch";
import type { Passage } from "./passages.ts";
import { isDistinctive, termsOf, termsOfQuestion } from "./terms.ts";

export type SearchResultOf = {
  passage: Passage;
  /** What else it could be about, the likeliest first. */
  others: readonly Passage[];
  /** How much of the question the passage is about, 0 to 1. */
  share: number;
};

export type PassageSearch = {
  /** Undefined: nothing here is about any of it. */
  find: (question: string) => SearchResultOf | undefined;
};

const questionCharactersMax = 500;
/** A word that is only nearly one of the passage's. */
const nearly = 0.7;
/** What one says of anything counts for little. */
const everydayWeight = 0.3;

export function createPassageSearch(passages: readonly Passage[]): PassageSearch {
  const { rarity, isKnown } = vocabularyOf(passages);
  // A word that nobody wrote down may be a slip of the pen, or the beginning of one; numbers and short words are what they are.
  const isSlip = (term: string) => term.length > 4 && !/\d/u.test(term) && !isKnown(term);
  const index = new MiniSearch<Passage & { id: number }>({
    fields: ["heading", "words", "text"],
    tokenize: (text) => [...new Set(termsOf(text))],
    processTerm: (term) => term,
    searchOptions: {
      tokenize: termsOfQuestion,
      boost: { heading: 4, words: 2, text: 1 },
      prefix: isSlip,
      fuzzy: (term) => (isSlip(term) ? 0.2 : false),
      weights: { fuzzy: 0.3, prefix: 0.4 },
    },
  });
  index.addAll(passages.map((passage, id) => ({ ...passage, id })));
  return {
    find(question) {
      const asked = question.slice(0, questionCharactersMax);
      const terms = termsOfQuestion(asked);
      const named = passages.find(({ heading }) => normalized(heading) === normalized(asked));
      const [best, ...rest] = index
        .search(asked)
        .flatMap((result) => {
          const passage = passages[result.id];
          if (passage === undefined) return [];
          const share = shareOf(terms, result, rarity);
          return {
            passage,
            share,
            score: result.score * fitOf(passage, terms) * (0.1 + share) ** 2 * aptnessOf(passage, asked),
          };
        })
        .sort((a, b) => Number(b.passage === named) - Number(a.passage === named) || b.score - a.score);
      if (best === undefined) return undefined;
      const { passage } = best;
      const share = passage === named ? 1 : best.share;
      return { passage, share, others: rest.slice(0, 2).map((other) => other.passage) };
    },
  };
}

/** A heading that is repeated is meant, whatever else speaks of its words. */
const normalized = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** "What is a convener?" asks for what is named so, not for the many that speak of it: a name that says more, or less, fits less. */
function fitOf({ heading }: Passage, asked: readonly string[]): number {
  const [name = heading] = heading.split(":");
  return 0.25 + 0.75 * Math.max(similarityOf(termsOf(name), asked), similarityOf(termsOf(heading), asked));
}

/** 1: the same terms. 0: none in common. */
function similarityOf(some: readonly string[], others: readonly string[]): number {
  const common =
    some.filter((term) => others.includes(term)).length + others.filter((term) => some.includes(term)).length;
  return common / Math.max(some.length + others.length, 1);
}

/** Who asks how to do something asks for this product, who asks what something is rather for a specification. */
function aptnessOf({ places: [place = ""] }: Passage, asked: string): number {
  const isOfSpecification = /\d\.\d/u.test(place);
  if (/\bhow (?:do|can|could|should|may) (?:i|we|one)\b|\b(?:can|may) i\b/iu.test(asked))
    return isOfSpecification ? 1 : 1.25;
  return isOfSpecification && /\bwhat (?:is|are|does|'s)\b|\bwhat's\b/iu.test(asked) ? 1.15 : 1;
}

type Rarity = (term: string) => number;

/** As in any index: the fewer passages have a term, the more it tells. One that none has tells most. */
function vocabularyOf(passages: readonly Passage[]): { rarity: Rarity; isKnown: (term: string) => boolean } {
  const counts = new Map<string, number>();
  for (const { heading, words, text } of passages) {
    for (const term of new Set(termsOf(`${heading} ${words} ${text}`))) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const rarity = (term: string) => {
    const inverse = Math.log(1 + passages.length / ((counts.get(term) ?? 0) + 0.5));
    return inverse * (isDistinctive(term) ? 1 : everydayWeight);
  };
  return { rarity, isKnown: (term) => counts.has(term) };
}

/** Nothing of it, when no telling word of the question is in the heading of the passage or among its words. */
function shareOf(asked: readonly string[], { match }: SearchResult, rarity: Rarity): number {
  const terms = [...new Set(asked)];
  const neighbours = Object.keys(match).filter((other) => !terms.includes(other));
  const nearTo = (term: string) =>
    match[term] === undefined ? neighbours.filter((other) => isSimilarTerm(term, other)) : [];
  const likeness = (term: string) => (match[term] !== undefined ? 1 : nearTo(term).length > 0 ? nearly : 0);
  const isNamed = (term: string) => match[term]?.some((field) => field !== "text") === true;
  const isMeant = (term: string) => isDistinctive(term) && (isNamed(term) || nearTo(term).some(isNamed));
  if (!terms.some(isMeant)) return 0;
  const whole = terms.reduce((sum, term) => sum + rarity(term), 0);
  return terms.reduce((sum, term) => sum + likeness(term) * rarity(term), 0) / whole;
}

/** The same beginning, or a slip of the pen: people seldom miss the first and the last letter. */
function isSimilarTerm(one: string, other: string): boolean {
  const half = Math.ceil(Math.min(one.length, other.length) * 0.6);
  if (one.slice(0, half) === other.slice(0, half)) return true;
  return one[0] === other[0] && one.at(-1) === other.at(-1) && Math.abs(one.length - other.length) < 2;
}
