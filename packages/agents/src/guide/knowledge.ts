import type { FoundPassage, Passage, PassageSearch } from "./passage-search.ts";
import { termsOf } from "./terms.ts";

/** The passage that answers a question, or the headings that come nearest to it. */
export type KnowledgeAnswer =
  | {
      isKnown: true;
      heading: string;
      text: string;
      /** So clearly about Open Floor or this product that the guide may answer without being called. */
      isClear: boolean;
    }
  | { isKnown: false; near: readonly string[] };

/** Found by experiment: unrelated questions stay below 0.4, questions about the passages rarely do. */
const knownShare = 0.45;
const clearShare = 0.75;

const firstHeadings = ["What Open Floor is", "What Plenary is"];

/** The passages are the same for every guide of this process. */
let library: Promise<PassageSearch> | undefined;

/** Reads the passages when the first question comes. */
export async function askKnowledge(question: string): Promise<KnowledgeAnswer> {
  library ??= load();
  try {
    return answerFrom((await library).find(question), question);
  } catch (error) {
    // The next question tries again.
    library = undefined;
    throw error;
  }
}

async function load(): Promise<PassageSearch> {
  const { createPassageSearch, readPassages } = await import("./passage-search.ts");
  return createPassageSearch(await readPassages());
}

function answerFrom(found: FoundPassage | undefined, question: string): KnowledgeAnswer {
  if (found === undefined) return { isKnown: false, near: firstHeadings };
  const { passage, share, others } = found;
  if (share < knownShare)
    return { isKnown: false, near: [passage, ...others].slice(0, 2).map(({ heading }) => heading) };
  const isClear = share >= clearShare && isAboutFloors(question);
  return { isKnown: true, heading: passage.heading, text: passageText(passage, others), isClear };
}

function passageText({ text, places }: Passage, others: readonly Passage[]): string {
  const also = others.map(({ heading }) => `_${heading}_`).join(", ");
  return `${text}\n\n(${places.join("; ")})${also === "" ? "" : `\n\nSee also: ${also}`}`;
}

const wordsOfFloors = new Set(
  termsOf(
    `agent archivist channeling conversant conversation convener delegation dialect dialogEvent discovery envelope export floor guest invite
    manifest mediation ovon owner plenary sdk serviceUrl speakerUri ssml utterance whisper`,
  ),
);

/** A request to do something, not to explain it, is for another agent. */
const wish =
  /^\W*(?:(?:can|could|would|will) you|please)\s+(?!(?:please )?(?:explain|tell|show|say|help|describe)\b)/iu;

/** A question with a word about floors that is neither a calculation nor a question about the history. */
function isAboutFloors(question: string): boolean {
  if (
    !isQuestion(question) ||
    wish.test(question) ||
    /\d\s*[-+*/^%×÷]\s*\d|\b(?:did|said|told|asked)\b/iu.test(question)
  )
    return false;
  return termsOf(question).some((term) => wordsOfFloors.has(term));
}

export function isQuestion(text: string): boolean {
  return /\?\s*$|^\W*(?:what|how|who|which|why|where|when|can|could|may|is|are|does|do|explain)\b/iu.test(text);
}
