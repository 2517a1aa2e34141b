import type { Capability } from "@plenary/protocol";
import type { Query } from "../catalogue/entry.ts";
import { languageNames } from "./language.ts";
import { fold, guessLanguage, isCommonTerm, termOf, wordsOf } from "./tokenize.ts";
import type { Term, Vocabulary } from "./word-index.ts";

export type RequestTerm = {
  /** The term itself, or similar terms of the catalogue for an unknown one. */
  terms: readonly Term[];
  /** 1: exact; less: similar. */
  likeness: number;
  /** How specific the term is, 0 to 1. */
  weight: number;
  /** Specific enough to find agents by it alone. */
  isTelling: boolean;
  /** The language that the term names; `isDemanded`: agents have to speak it. */
  language?: string;
  isDemanded?: boolean;
};

export type SearchRequest = { wanted: readonly RequestTerm[]; languages: readonly string[]; layers: readonly string[] };

const textMax = 500;
const wordsMax = 40;
const slipsMax = 4;
const weights = { everyday: 0.45, name: 0.4, unknown: 0.8, leastKnown: 0.5 };
const nearly = 0.75;

export function parseRequest({ text, languages = [], layers = [] }: Query, vocabulary: Vocabulary): SearchRequest {
  const { layers: named, rest } = layersIn(text.slice(0, textMax));
  const shown = wordsOf(rest.normalize("NFC")).slice(0, wordsMax);
  const words = shown.map(fold);
  const spoken = parseWords(shown, words);
  const slips = { left: slipsMax };
  const wanted = spoken.map((word) => requestTermOf(word, vocabulary, slips));
  return {
    wanted: wanted.some(({ isTelling }) => isTelling)
      ? wanted
      : wanted.map((one) => ({ ...one, weight: 1, isTelling: true })),
    languages: languages.length > 0 ? languages : guessLanguage(words),
    layers: [...new Set([...layers, ...named])],
  };
}

type RequestWord = { term: string; isName: boolean; language?: string; isDemanded?: boolean };

/** Words before or after the name of a required language. */
const before = new Set(
  "in into to auf ins en al em pa speak speaks speaking parle parlant spricht sprechen habla hable".split(" "),
);
const after = new Set(["speaking", "language", "speaker", "sprachig", "sprechend"]);

/** After one of these a stop word is a noun: `my will`. */
const determiners = new Set("a an the my your his her our their".split(" "));
const smallMax = 3;

/** `shown`: as written; `words`: folded. */
function parseWords(shown: readonly string[], words: readonly string[]): RequestWord[] {
  const found = new Map<string, RequestWord>();
  for (let at = 0; at < words.length; at += 1) {
    const [word = "", next = ""] = [words[at], words[at + 1]];
    const pair = languageNames().get(`${word} ${next}`);
    const language = pair ?? languageNames().get(word);
    const term = termOf(word) || (determiners.has(words[at - 1] ?? "") ? word : "");
    if (term === "" && language === undefined) continue;
    const isDemanded =
      language !== undefined && (before.has(words[at - 1] ?? "") || after.has(words[at + (pair ? 2 : 1)] ?? ""));
    const isName = at > 0 && /^\p{Lu}\p{Ll}/u.test(shown[at] ?? "") && !isMostlyCapital(shown);
    found.set(term || word, { term: term || word, isName, ...(language !== undefined && { language, isDemanded }) });
    if (pair !== undefined) at += 1;
    if (isDemanded && after.has(words[at + 1] ?? "")) at += 1;
  }
  // Only stop words: then they are the request.
  if (found.size === 0) for (const word of words.slice(0, smallMax)) found.set(word, { term: word, isName: false });
  return [...found.values()];
}

/** Upper case text, or a language with capital nouns: there a capital letter is no sign of a name. */
function isMostlyCapital(shown: readonly string[]): boolean {
  return shown.filter((word) => /^\p{Lu}/u.test(word)).length * 3 > shown.length;
}

function requestTermOf(
  { term: text, isName, ...language }: RequestWord,
  vocabulary: Vocabulary,
  slips: { left: number },
): RequestTerm {
  const term = vocabulary.named(text);
  const exact = { terms: [term], likeness: 1, isTelling: true, ...language };
  if (isCommonTerm(text)) return { ...exact, weight: weights.everyday, isTelling: false };
  if (term.count > 0) {
    const rarity = Math.log(1 + vocabulary.size() / term.count) / Math.log(1 + vocabulary.size());
    return { ...exact, weight: Math.max(weights.leastKnown, rarity) };
  }
  // An unknown word may be a typo, but not numbers, short words and short names.
  const isSlip =
    text.length > (isName ? 7 : 3) && !/\d/u.test(text) && language.language === undefined && slips.left > 0;
  if (isSlip) slips.left -= 1;
  const near = isSlip ? vocabulary.near(text) : [];
  if (near.length === 0) return { ...exact, weight: isName ? weights.name : weights.unknown };
  return { ...exact, terms: near, likeness: nearly, weight: weights.unknown };
}

/** Different names of one layer. */
const synonyms: readonly (readonly string[])[] = [
  ["voice", "audio", "speech"],
  ["image", "picture"],
];

/** Manifest 1.7: `supportedLayers` is text in both directions by default. */
const ordinary = { input: ["text"], output: ["text"] };

/** The requested layers that the capability supports, by its own names. */
export function supportedOf(asked: readonly string[], { supportedLayers = ordinary }: Capability): string[] {
  const own = [...supportedLayers.input, ...supportedLayers.output];
  const served = asked.flatMap((layer) => own.find((one) => isSynonym(layer.toLowerCase(), one.toLowerCase())) ?? []);
  return [...new Set(served)];
}

function isSynonym(one: string, other: string): boolean {
  return one === other || synonyms.some((names) => names.includes(one) && names.includes(other));
}

/** How people ask for a layer. With `isAll` the match is removed from the task. */
const layerPatterns: readonly { layer: string; words: RegExp; isAll: boolean }[] = [
  {
    layer: "voice",
    words:
      /\b(?:that |which |who )?(?:i |we )?(?:can |could )?(?:(?:talk|speak)(?:ing)? (?:to|with) )?(?:(?:by|with|per|via|using) (?:voice|speech|phone|audio)|out loud|aloud|hands[- ]?free|mit (?:der )?stimme|per sprache|de vive voix|por voz|a voce)\b/giu,
    isAll: true,
  },
  { layer: "voice", words: /\b(?:voice|spoken|speech)\b/giu, isAll: false },
  { layer: "image", words: /\b(?:pictures?|images?|photos?|bilder?)\b/giu, isAll: false },
  { layer: "video", words: /\bvideos?\b/giu, isAll: false },
  { layer: "html", words: /\bhtml\b/giu, isAll: false },
];

function layersIn(text: string): { layers: string[]; rest: string } {
  let rest = text;
  const found = layerPatterns.filter(({ words }) => text.search(words) >= 0);
  for (const { words, isAll } of found) if (isAll) rest = rest.replaceAll(words, " ");
  return { layers: found.map(({ layer }) => layer), rest };
}
