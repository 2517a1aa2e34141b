import { readdir, readFile } from "node:fs/promises";
import type { SearchResult } from "minisearch";
import MiniSearch from "minisearch";
import { isDistinctive, termsOf, termsOfQuestion } from "./terms.ts";

export type FoundPassage = {
  passage: Passage;
  /** Other passages that fit, best first. */
  others: readonly Passage[];
  /** How much of the question the passage covers, 0 to 1. */
  share: number;
};

export type PassageSearch = ReturnType<typeof createPassageSearch>;

const questionCharactersMax = 500;
/** The weight of a word that is only similar to one of the passage. */
const nearly = 0.7;
/** Everyday words count for little. */
const everydayWeight = 0.3;

export function createPassageSearch(passages: readonly Passage[]) {
  const { rarity, isKnown } = vocabularyOf(passages);
  // A word that no passage has may be misspelt or unfinished. Numbers and short words are taken as they are.
  const isMisspelt = (term: string) => term.length > 4 && !/\d/u.test(term) && !isKnown(term);
  const index = new MiniSearch<Passage & { id: number }>({
    fields: ["heading", "words", "text"],
    tokenize: (text) => [...new Set(termsOf(text))],
    processTerm: (term) => term,
    searchOptions: {
      tokenize: termsOfQuestion,
      boost: { heading: 4, words: 2, text: 1 },
      prefix: isMisspelt,
      fuzzy: (term) => (isMisspelt(term) ? 0.2 : false),
      weights: { fuzzy: 0.3, prefix: 0.4 },
    },
  });
  index.addAll(passages.map((passage, id) => ({ ...passage, id })));
  return {
    /** Returns undefined when no passage has any of its terms. */
    find(question: string): FoundPassage | undefined {
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

/** A question that repeats a heading means that passage. */
const normalized = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** "What is a convener?" asks for the passage with this heading, not for all that mention conveners. */
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

/** A "how do I" question is about this product; a "what is" question is rather about a specification. */
function aptnessOf({ places: [place = ""] }: Passage, asked: string): number {
  const isOfSpecification = /\d\.\d/u.test(place);
  if (/\bhow (?:do|can|could|should|may) (?:i|we|one)\b|\b(?:can|may) i\b/iu.test(asked))
    return isOfSpecification ? 1 : 1.25;
  return isOfSpecification && /\bwhat (?:is|are|does|'s)\b|\bwhat's\b/iu.test(asked) ? 1.15 : 1;
}

type Rarity = (term: string) => number;

/** Inverse document frequency: the fewer passages have a term, the more it weighs. */
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

/** Zero when no distinctive term of the question is in the heading or the search words of the passage. */
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

/** The same beginning, or a typing error: people rarely mistype the first and the last letter. */
function isSimilarTerm(one: string, other: string): boolean {
  const half = Math.ceil(Math.min(one.length, other.length) * 0.6);
  if (one.slice(0, half) === other.slice(0, half)) return true;
  return one[0] === other[0] && one.at(-1) === other.at(-1) && Math.abs(one.length - other.length) < 2;
}

/** A few sentences that answer one question, and where the answer comes from. */
export type Passage = {
  heading: string;
  text: string;
  /** `Inter-Agent Message 1.1.0, section 1.12`, `SECURITY.md`, ... */
  places: readonly string[];
  /** More search words. */
  words: string;
};

const folder = new URL("knowledge/", import.meta.resolve("@plenary/agents/package.json"));

export async function readPassages(): Promise<Passage[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md")).sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")));
  return texts.flatMap((text, at) => passagesIn(text, names[at] ?? ""));
}

/** A passage is a heading, a paragraph, its places in italics, and a comment with more search words. */
export function passagesIn(markdown: string, file: string): Passage[] {
  const [, ...parts] = markdown.split(/^## /mu);
  return parts.map((part) => {
    const found = /^(.+)\n\n(.+?)\n\n_(.+)_\n\n<!-- (.+) -->\s*$/su.exec(part);
    const [, heading, text, places, words] = found ?? [];
    if (heading === undefined || text === undefined || places === undefined || words === undefined) {
      throw new Error(`${file}: not a heading, a paragraph, its _places_ and <!-- words -->: ${part.slice(0, 80)}`);
    }
    // Line breaks of the file are not part of the answer.
    return { heading, text: text.replaceAll("\n", " "), places: places.split("; "), words };
  });
}
