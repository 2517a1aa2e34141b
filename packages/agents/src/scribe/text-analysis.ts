import type { RecordedUtterance } from "./history.ts";
import { normalizedName, type People } from "./speakers.ts";

/** Words without meaning of their own, English and German. */
const stopWords = new Set(
  `a about after again all also am an and any are as at be because been before being but by can cannot could did do does
  doing done down each few for from get go going got had has have having he her here hers him his how i if in into is it
  its just know like make many may me might more most much must my need no nor not now of off ok okay on once one only or
  other our out over own please really right said same say see shall she should so some such sure tell than thank thanks
  that the their them then there these they thing things think this those through to too under until up us very want was
  we well were what when where which while who whom why will with would yes yet you your let lets hello hi bye
  der die das und ist nicht ich du er sie es wir ihr ein eine einen dem den des im in zu mit auf fuer für von auch aber
  dann doch noch schon so wie was wer wo`.split(/\s+/u),
);

const words = new Intl.Segmenter("en", { granularity: "word" });
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** The words of a text in order, normalized for comparison, without stop words. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const { segment, isWordLike } of words.segment(text.normalize("NFKC").toLowerCase())) {
    if (isWordLike !== true) continue;
    const bare = segment.replace(/['’].*$/u, "");
    if (bare.length > 1 && !stopWords.has(bare) && !/^\d+$/u.test(bare)) terms.push(singular(bare));
  }
  return terms;
}

/** Removes a plural s. More grammar would be a guess. */
export function singular(word: string): string {
  return /[^su\W]s$/u.test(word) && word.length > 3 && !word.endsWith("is") ? word.slice(0, -1) : word;
}

/** A paragraph, a heading or a list item ends the sentence before it. The marker of an item is not part of its text. */
const breaks = /\n\s*\n|\n(?=\s*(?:[-*•]|#{1,6}|\d{1,3}[.)])\s)/u;
const mark = /^\s*(?:[-*•]|#{1,6}|\d{1,3}[.)])\s+/u;

function sentencesOf(text: string): string[] {
  return text
    .split(breaks)
    .flatMap((part) => segmentsOf(part.replace(mark, "").replaceAll(/\s+/gu, " ")))
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** No sentence ends between backticks. */
function segmentsOf(part: string): string[] {
  const found: string[] = [];
  let isWithin = false;
  for (const { segment } of sentences.segment(part)) {
    if (isWithin) found.push(`${found.pop() ?? ""}${segment}`);
    else found.push(segment);
    if (segment.split("`").length % 2 === 0) isWithin = !isWithin;
  }
  return found;
}

function wordCountOf(text: string): number {
  return text.split(/\s+/u).length;
}

export type Sentence = { said: RecordedUtterance; text: string; terms: ReadonlySet<string> };

const sentencesMax = 400;
const rankedMax = 200;
const rounds = 20;
const damping = 0.85;
const wordsMin = 4;

/** The newest sentences, up to `sentencesMax`. */
export function sentencesIn(said: readonly RecordedUtterance[]): Sentence[] {
  const found: Sentence[] = [];
  for (const one of said.toReversed()) {
    if (found.length >= sentencesMax) break;
    const its = sentencesOf(one.text).slice(0, 20);
    for (const text of its.toReversed()) found.push({ said: one, text, terms: new Set(termsOf(text)) });
  }
  return found.reverse();
}

/** The sentences that share most terms with others (TextRank), without near duplicates, in the order of the conversation. */
export function keySentences(sentences: readonly Sentence[], count: number): Sentence[] {
  const able = sentences.filter(({ text, terms }) => terms.size > 0 && wordCountOf(text) >= wordsMin).slice(-rankedMax);
  const ranks = ranksOf(able);
  const order = able.map((_, index) => index).sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
  const chosen: number[] = [];
  for (const index of order) {
    if (chosen.length >= count) break;
    const candidate = able[index];
    if (candidate && !chosen.some((other) => isSimilar(candidate, able[other]))) chosen.push(index);
  }
  return chosen.sort((a, b) => a - b).flatMap((index) => able[index] ?? []);
}

function ranksOf(sentences: readonly Sentence[]): number[] {
  const likeness = sentences.map((one) => sentences.map((other) => (one === other ? 0 : similarity(one, other))));
  const sums = likeness.map((row) => row.reduce((sum, value) => sum + value, 0));
  let ranks = sentences.map(() => 1);
  for (let round = 0; round < rounds; round += 1) {
    ranks = sentences.map((_, to) => {
      let sum = 0;
      for (const [from, row] of likeness.entries()) {
        if (sums[from]) sum += (ranks[from] ?? 0) * ((row[to] ?? 0) / sums[from]);
      }
      return 1 - damping + damping * sum;
    });
  }
  return ranks;
}

function similarity({ terms: a }: Sentence, { terms: b }: Sentence): number {
  const shared = sharedTerms(a, b);
  return shared === 0 ? 0 : shared / (Math.log(a.size + 1) + Math.log(b.size + 1));
}

function sharedTerms(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared += 1;
  return shared;
}

function isSimilar({ terms: a }: Sentence, other: Sentence | undefined): boolean {
  if (other === undefined) return false;
  return sharedTerms(a, other.terms) > 0.6 * Math.min(a.size, other.terms.size);
}

const days = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const firm = new RegExp(
  `\\b(?:let's|let us|we(?:'ll| will| shall| must| agreed| decided)|agreed|decided|decision|deadline|due|to-?do|action item|by (?:${days}|tomorrow|tonight|noon|next week|the end of)|i(?:'ll| will| shall| promise))\\b`,
  "iu",
);
const loose = /\b(?:will|shall|should|must|has to|have to|needs? to|going to)\b/iu;

/** Sentences that promise or demand something. Weaker wordings count only if there are too few firm ones. */
export function decisionsIn(sentences: readonly Sentence[], enough: number): Sentence[] {
  const stated = sentences.filter(({ text }) => !isQuestion(text));
  const isFirm = ({ text }: Sentence) => firm.test(plain(text));
  const count = stated.filter(isFirm).length;
  if (count >= enough) return stated.filter(isFirm);
  return stated.filter((one) => isFirm(one) || loose.test(plain(one.text)));
}

const plain = (text: string) => text.replaceAll("’", "'");

const answering =
  /^(?:yes|no|yep|nope|sure|ok|okay|maybe|perhaps|probably|because|at|on|in|by|i|we|it|he|she|they|not|\d)\b/iu;
const followersMax = 4;

/** Questions without an answer: none of the next utterances is to the asker or about the same subject. */
export function openQuestionsIn(sentences: readonly Sentence[], said: readonly RecordedUtterance[]): Sentence[] {
  const places = new Map(said.map((one, index) => [one, index]));
  return sentences.filter((one) => {
    const place = places.get(one.said);
    if (place === undefined || !isQuestion(one.text) || wordCountOf(one.text) < 2) return false;
    const others = said.slice(place + 1).filter(({ speakerUri }) => speakerUri !== one.said.speakerUri);
    return !others.slice(0, followersMax).some((other, index) => isAnswer(other, one, index === 0));
  });
}

function isAnswer({ text, to }: RecordedUtterance, { said, terms }: Sentence, isNext: boolean): boolean {
  if (to === said.speakerUri) return true;
  if (isQuestion(text)) return false;
  if (sharedTerms(new Set(termsOf(text)), terms) > 0) return true;
  return isNext && (answering.test(text) || wordCountOf(text) <= 4);
}

export function isQuestion(text: string): boolean {
  return /[?？]["”')\s]*$/u.test(text);
}

/** Terms used more than once, ranked by the number of uses and of speakers. */
export function keyTermsIn(sentences: readonly Sentence[], people: People, count: number): string[] {
  const names = new Set(people.all.flatMap(({ name }) => normalizedName(name).split(" ")));
  const uses = new Map<string, { times: number; speakers: Set<string> }>();
  for (const { said, terms } of sentences) {
    for (const term of terms) {
      if (term.length < 3 || term.length > 40 || names.has(term)) continue;
      const use = uses.get(term) ?? { times: 0, speakers: new Set() };
      use.times += 1;
      use.speakers.add(said.speakerUri);
      uses.set(term, use);
    }
  }
  const weight = ({ times, speakers }: { times: number; speakers: Set<string> }) => times * (1 + speakers.size);
  return [...uses]
    .filter(([, { times }]) => times > 1)
    .sort(([a, one], [b, other]) => weight(other) - weight(one) || (a < b ? -1 : 1))
    .slice(0, count)
    .map(([term]) => term);
}
