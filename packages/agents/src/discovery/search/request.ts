import type { Query } from "../catalogue/entry.ts";
import { languageNamed } from "./language.ts";
import { layersIn } from "./layers.ts";
import type { Term } from "./terms.ts";
import { fold, isEveryday, languageOf, termOf, wordsOf } from "./tokenize.ts";

/** One word of a request. */
export type Wanted = {
  /** Itself, or what stands for it in the catalogue when nobody has written it so. */
  terms: readonly Term[];
  /** 1: it is found as it stands; less: only nearly. */
  likeness: number;
  /** How much it tells of what is needed, 0 to 1. */
  weight: number;
  /** Enough to tell by it alone what is needed. */
  isTelling: boolean;
  /** It names this language; `isDemanded`: whoever cannot speak it cannot serve. */
  language?: string;
  isDemanded?: boolean;
};

export type Request = { wanted: readonly Wanted[]; languages: readonly string[]; layers: readonly string[] };

/** What is known of the words of a catalogue. */
export type Vocabulary = {
  named(text: string): Term;
  /** How many capabilities there are. */
  size(): number;
  /** Terms of the catalogue that were probably meant, the likeliest first. */
  near(text: string): readonly Term[];
};

const textMax = 500;
const wordsMax = 40;
const slipsMax = 4;
const weights = { everyday: 0.45, name: 0.4, unknown: 0.8, leastKnown: 0.5 };
const nearly = 0.75;

export function readRequest({ text, languages = [], layers = [] }: Query, vocabulary: Vocabulary): Request {
  const { layers: named, rest } = layersIn(text.slice(0, textMax));
  const shown = wordsOf(rest.normalize("NFC")).slice(0, wordsMax);
  const words = shown.map(fold);
  const spoken = readWords(shown, words);
  const slips = { left: slipsMax };
  const wanted = spoken.map((word) => wantedOf(word, vocabulary, slips));
  return {
    wanted: wanted.some(({ isTelling }) => isTelling)
      ? wanted
      : wanted.map((one) => ({ ...one, weight: 1, isTelling: true })),
    languages: languages.length > 0 ? languages : [languageOf(words) ?? []].flat(),
    layers: [...new Set([...layers, ...named])],
  };
}

type Word = { term: string; isName: boolean; language?: string; isDemanded?: boolean };

/** What stands before the language that somebody wants to be served in, or after it. */
const before = new Set(
  "in into to auf ins en al em pa speak speaks speaking parle parlant spricht sprechen habla hable".split(" "),
);
const after = new Set(["speaking", "language", "speaker", "sprachig", "sprechend"]);

/** A small word after one of these is none: nobody can say `my will` and mean the future. */
const determiners = new Set("a an the my your his her our their".split(" "));
const smallMax = 3;

/** `shown` as they were written, `words` folded. */
function readWords(shown: readonly string[], words: readonly string[]): Word[] {
  const found = new Map<string, Word>();
  for (let at = 0; at < words.length; at += 1) {
    const [word = "", next = ""] = [words[at], words[at + 1]];
    const pair = languageNamed(`${word} ${next}`);
    const language = pair ?? languageNamed(word);
    const term = termOf(word) || (determiners.has(words[at - 1] ?? "") ? word : "");
    if (term === "" && language === undefined) continue;
    const isDemanded =
      language !== undefined && (before.has(words[at - 1] ?? "") || after.has(words[at + (pair ? 2 : 1)] ?? ""));
    const isName = at > 0 && /^\p{Lu}\p{Ll}/u.test(shown[at] ?? "") && !isMostlyCapital(shown);
    found.set(term || word, { term: term || word, isName, ...(language !== undefined && { language, isDemanded }) });
    if (pair !== undefined) at += 1;
    if (isDemanded && after.has(words[at + 1] ?? "")) at += 1;
  }
  // Nothing but small words: then they are meant.
  if (found.size === 0) for (const word of words.slice(0, smallMax)) found.set(word, { term: word, isName: false });
  return [...found.values()];
}

/** Shouted, or in a language whose nouns are capital: a capital letter is then no sign of a name. */
function isMostlyCapital(shown: readonly string[]): boolean {
  return shown.filter((word) => /^\p{Lu}/u.test(word)).length * 3 > shown.length;
}

function wantedOf({ term: text, isName, ...language }: Word, vocabulary: Vocabulary, slips: { left: number }): Wanted {
  const term = vocabulary.named(text);
  const { count } = term;
  if (isEveryday(text)) return { terms: [term], likeness: 1, weight: weights.everyday, isTelling: false, ...language };
  if (count > 0) {
    const rarity = Math.log(1 + vocabulary.size() / count) / Math.log(1 + vocabulary.size());
    return { terms: [term], likeness: 1, weight: Math.max(weights.leastKnown, rarity), isTelling: true, ...language };
  }
  // A word that nobody has written down may be a slip of the pen; numbers and short words are what they are.
  // Names of places and people are what they are, too, unless they are long enough to be somebody's here.
  const isSlip =
    text.length > (isName ? 7 : 3) && !/\d/u.test(text) && language.language === undefined && slips.left > 0;
  if (isSlip) slips.left -= 1;
  const near = isSlip ? vocabulary.near(text) : [];
  const weight = near.length === 0 && isName ? weights.name : weights.unknown;
  return {
    terms: near.length === 0 ? [term] : near,
    likeness: near.length === 0 ? 1 : nearly,
    weight,
    isTelling: true,
    ...language,
  };
}
