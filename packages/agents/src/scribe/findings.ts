// What a reader of minutes looks for: what was decided, what is open, what it was about.

import type { Said } from "./history.ts";
import { folded, type People } from "./people.ts";
import { type Sentence, sharedBy } from "./telling.ts";
import { termsOf, wordCountOf } from "./words.ts";

const days = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const firm = new RegExp(
  `\\b(?:let's|let us|we(?:'ll| will| shall| must| agreed| decided)|agreed|decided|decision|deadline|due|to-?do|action item|by (?:${days}|tomorrow|tonight|noon|next week|the end of)|i(?:'ll| will| shall| promise))\\b`,
  "iu",
);
const loose = /\b(?:will|shall|should|must|has to|have to|needs? to|going to)\b/iu;

/** Sentences that promise or demand something, as they were said. Only where too few are firm the loose ones count. */
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

/** Questions that nobody seems to have answered: nothing that came soon after speaks to the asker or of the same thing. */
export function openQuestionsIn(sentences: readonly Sentence[], said: readonly Said[]): Sentence[] {
  const places = new Map(said.map((one, index) => [one, index]));
  return sentences.filter((one) => {
    const place = places.get(one.said);
    if (place === undefined || !isQuestion(one.text) || wordCountOf(one.text) < 2) return false;
    const others = said.slice(place + 1).filter(({ speakerUri }) => speakerUri !== one.said.speakerUri);
    return !others.slice(0, followersMax).some((other, index) => isAnswer(other, one, index === 0));
  });
}

function isAnswer({ text, to }: Said, { said, terms }: Sentence, isNext: boolean): boolean {
  if (to === said.speakerUri) return true;
  if (isQuestion(text)) return false;
  if (sharedBy(new Set(termsOf(text)), terms) > 0) return true;
  return isNext && (answering.test(text) || wordCountOf(text) <= 4);
}

export function isQuestion(text: string): boolean {
  return /[?？]["”')\s]*$/u.test(text);
}

/** Said more than once, the most frequent first; by how many as well as how often. */
export function keyTermsIn(sentences: readonly Sentence[], people: People, count: number): string[] {
  const names = new Set(people.all.flatMap(({ name }) => folded(name).split(" ")));
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
