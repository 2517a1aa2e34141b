import { eachWord, fold, termOf, wordsOf } from "./tokenize.ts";

/** A word of a catalogue as it is compared: one and the same object wherever it stands, so that nothing is spelled again. */
export type Term = {
  text: string;
  /** How many capabilities have it, and how many of them as a subject. */
  count: number;
  subjectCount: number;
  /** Who has it as a subject, and who has it anywhere else. Those that are gone stay until they are many. */
  subjects: Indexed[];
  others: Indexed[];
  /** The id of whoever got it last. */
  newest: number;
};

/** What can be found of one capability object and of whoever has it. */
export type Fields = {
  keyphrases: readonly (readonly Term[])[];
  name: readonly Term[];
  about: readonly Term[];
  /** Its role, its department, its organization. */
  who: readonly (readonly Term[])[];
};

/** One capability object of somebody; `capability` is undefined of who has none. */
export type Indexed = {
  /** The higher, the later it was heard. */
  id: number;
  key: string;
  capability: number | undefined;
  fields: Fields;
  /** How many terms it has, each counted once. */
  length: number;
  isGone: boolean;
  /** How well it fits the search of this number, the last that found it. */
  relevance: number;
  search: number;
};

export type Terms = ReturnType<typeof createTerms>;

const wordsKeptMax = 100_000;

/** The terms of all that is in a catalogue. */
export function createTerms() {
  const terms = new Map<string, Term>();
  /** Read before: most words of a text are. Terms that were released may still stand here. */
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
    /** As `termsOf` of words.ts; whoever reads a text bears its terms, and releases them. */
    read(text: string): Term[] {
      const folded = fold(text);
      const found: Term[] = [];
      eachWord(folded, (word) => {
        const term = ofWord(word);
        if (term !== small) found.push(term);
      });
      return found.length === 0 ? wordsOf(folded).map(kept) : found;
    },
    /** Of a request: it is not kept for that. */
    named: (text: string): Term => terms.get(text) ?? termNamed(text),
    /** Nobody has it any more. */
    release: ({ text }: Term) => terms.delete(text),
  };
}

function termNamed(text: string): Term {
  return { text, count: 0, subjectCount: 0, subjects: [], others: [], newest: 0 };
}
