import type { Capability } from "@plenary/protocol";
import { isStale, isVerified, type Known, type Ranked } from "../catalogue/entry.ts";
import { servedBy } from "./language.ts";
import { layersServing } from "./layers.ts";
import type { Request } from "./request.ts";
import { type Evidence, evidenceOf } from "./score.ts";
import type { Fields } from "./terms.ts";
import { fold, termOf, termsOf, wordsOf } from "./tokenize.ts";

/** One capability object of somebody; `relevance` compares it with the other candidates. */
export type Candidate = { capability: number | undefined; fields: Fields; known: Known; relevance: number };

/** Less than this speaks for chance. */
const leastEvidence = 0.42;
/** What a candidate keeps of its score when this can be said of it. */
const demotions = {
  failing: 0.6,
  silent: 0.75,
  stale: 0.85,
  told: 0.97,
  anonymous: 0.5,
  otherLayers: 0.7,
  otherLanguage: 0.7,
};
/** Of the lowest score of one that the floor has learned of itself, what somebody that a stranger told of gets at most. */
const belowVerified = 0.97;
/** So much of a score depends on how the words of one candidate weigh beside those of the others. */
const relative = 0.1;
const wordsMax = 12;
const wordMax = 80;

type Judged = Candidate & {
  evidence: Evidence;
  score: number;
  language: string | undefined;
  layers: readonly string[];
};

/** The best first, each agent by the one capability that serves best. */
export function rank(request: Request, candidates: readonly Candidate[], now: number, limit: number): Ranked[] {
  const mostRelevance = candidates.reduce((most, { relevance }) => Math.max(most, relevance), Number.MIN_VALUE);
  const best = new Map<string, Judged>();
  for (const candidate of candidates) {
    const judged = judge(request, candidate, now);
    if (judged === undefined) continue;
    const { known, relevance } = candidate;
    const score = judged.score * (1 - relative + (relative * relevance) / mostRelevance);
    if (score > (best.get(known.key)?.score ?? 0)) best.set(known.key, { ...judged, score });
  }
  const inOrder = strangersLast([...best.values()]).sort(
    (a, b) => b.score - a.score || (a.known.key < b.known.key ? -1 : 1),
  );
  return inOrder.slice(0, limit).map(toRanked);
}

/** However well it matches, what a stranger told stands behind all that the floor has learned itself. */
function strangersLast(judged: readonly Judged[]): Judged[] {
  const verified = judged.filter(({ known }) => isVerified(known));
  const most = verified.reduce((least, { score }) => Math.min(least, score * belowVerified), 1);
  return judged.map((one) => (one.known.isAnonymous === true ? { ...one, score: Math.min(one.score, most) } : one));
}

function capabilityOf({ known, capability }: Candidate): Capability | undefined {
  return capability === undefined ? undefined : known.manifest.capabilities[capability];
}

const synopsisMax = 400;

/** Read once, and only when it is asked for. */
function synopsisOf({ manifest }: Known): () => readonly string[] {
  let terms: readonly string[] | undefined;
  return () => {
    terms ??= termsOf(manifest.identification.synopsis.slice(0, synopsisMax));
    return terms;
  };
}

function judge(request: Request, candidate: Candidate, now: number): Judged | undefined {
  const { known, fields } = candidate;
  const capability = capabilityOf(candidate);
  const languages = capability?.languages;
  const knows = (asked: string) => (languages === undefined ? undefined : (servedBy(asked, languages)?.share ?? 0));
  const evidence = evidenceOf(request, { ...fields, synopsis: synopsisOf(known) }, knows);
  if (evidence === undefined || evidence.share < leastEvidence) return undefined;
  const asked = request.wanted.flatMap(({ language, isDemanded }) => (isDemanded ? (language ?? []) : []));
  const preferred = [...asked, ...request.languages];
  const language = preferred.flatMap((tag) => servedBy(tag, languages ?? [])?.tag ?? [])[0];
  const layers = layersServing(request.layers, capability ?? { keyphrases: [], descriptions: [] });
  const factors = [
    known.health === "failing" || known.health === "silent" ? demotions[known.health] : 1,
    isStale(known, now) ? demotions.stale : 1,
    known.isAnonymous === true ? demotions.anonymous : isVerified(known) ? 1 : demotions.told,
    request.layers.length > layers.length ? demotions.otherLayers : 1,
    preferred.length > 0 && language === undefined && languages !== undefined ? demotions.otherLanguage : 1,
  ];
  const score = factors.reduce((product, factor) => product * factor, evidence.share);
  return { ...candidate, evidence, score, language, layers };
}

function toRanked(judged: Judged): Ranked {
  const { known, score, capability, language, layers, evidence } = judged;
  const { health, heardAt } = known;
  return {
    known,
    score,
    reasons: {
      words: wordsIn(known, capabilityOf(judged), evidence),
      ...(capability !== undefined && { capability }),
      ...(language !== undefined && { language }),
      ...(layers.length > 0 && { layers }),
      ...(health !== undefined && { health }),
      heardAt,
      ...(!isVerified(known) && { isUnverified: true }),
    },
  };
}

/** What was found, as it stands in the manifest: the whole keyphrase, or the word of any other text. */
function wordsIn({ manifest }: Known, capability: Capability | undefined, { terms }: Evidence): string[] {
  const { conversationalName, role = "", department = "", organization, synopsis } = manifest.identification;
  const phrases = [...(capability?.keyphrases ?? []), conversationalName, role, department, organization];
  const texts = [...(capability?.descriptions ?? []), synopsis];
  const found = terms.flatMap((term) => {
    const phrase = phrases.find((one) => wordsOf(fold(one.slice(0, wordMax))).some((word) => termOf(word) === term));
    return phrase ?? wordOf(texts, term) ?? [];
  });
  return [...new Set(found.map((word) => word.slice(0, wordMax)))].slice(0, wordsMax);
}

function wordOf(texts: readonly string[], term: string): string | undefined {
  for (const text of texts) {
    const word = wordsOf(text.slice(0, 400)).find((one) => termOf(fold(one)) === term);
    if (word !== undefined) return word;
  }
  return undefined;
}
