// Which sentences tell most: those that share their words with many others (TextRank), each thing once.
import type { Said } from "./history.ts";
import { sentencesOf, termsOf, wordCountOf } from "./words.ts";

export type Sentence = { said: Said; text: string; terms: ReadonlySet<string> };

const sentencesMax = 400;
const rankedMax = 200;
const rounds = 20;
const damping = 0.85;
const wordsMin = 4;

/** The newest, as far as a summary looks. */
export function sentencesIn(said: readonly Said[]): Sentence[] {
  const found: Sentence[] = [];
  for (const one of said.toReversed()) {
    if (found.length >= sentencesMax) break;
    const its = sentencesOf(one.text).slice(0, 20);
    for (const text of its.toReversed()) found.push({ said: one, text, terms: new Set(termsOf(text)) });
  }
  return found.reverse();
}

/** At most `count`, in the order in which they were said. */
export function tellingOf(sentences: readonly Sentence[], count: number): Sentence[] {
  const able = sentences.filter(({ text, terms }) => terms.size > 0 && wordCountOf(text) >= wordsMin).slice(-rankedMax);
  const ranks = ranksOf(able);
  const order = able.map((_, index) => index).sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
  const chosen: number[] = [];
  for (const index of order) {
    if (chosen.length >= count) break;
    const candidate = able[index];
    if (candidate && !chosen.some((other) => isMuchTheSame(candidate, able[other]))) chosen.push(index);
  }
  return chosen.sort((a, b) => a - b).flatMap((index) => able[index] ?? []);
}

function ranksOf(sentences: readonly Sentence[]): number[] {
  const likeness = sentences.map((one) => sentences.map((other) => (one === other ? 0 : alike(one, other))));
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

function alike({ terms: a }: Sentence, { terms: b }: Sentence): number {
  const shared = sharedBy(a, b);
  return shared === 0 ? 0 : shared / (Math.log(a.size + 1) + Math.log(b.size + 1));
}

export function sharedBy(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared += 1;
  return shared;
}

function isMuchTheSame({ terms: a }: Sentence, other: Sentence | undefined): boolean {
  if (other === undefined) return false;
  return sharedBy(a, other.terms) > 0.6 * Math.min(a.size, other.terms.size);
}
