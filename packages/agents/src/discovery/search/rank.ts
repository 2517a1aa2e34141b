import type { Capability } from "@plenary/protocol";
import { type CatalogueEntry, isStale, isVerified, type RankedEntry } from "../catalogue/entry.ts";
import { bestLanguageMatch } from "./language.ts";
import { type RequestTerm, type SearchRequest, supportedOf } from "./request.ts";
import { fold, termOf, termsOf, wordsOf } from "./tokenize.ts";
import type { Fields, Term } from "./word-index.ts";

/** `relevance` is relative to the other candidates. */
export type RankCandidate = {
  capability: number | undefined;
  fields: Fields;
  known: CatalogueEntry;
  relevance: number;
};

/** The best `max` that fit, best first: sorting all of thousands would block other requests. */
export function bestOf<Item>(
  items: readonly Item[],
  max: number,
  isBefore: (one: Item, other: Item) => boolean,
  isFit: (one: Item) => boolean = () => true,
): Item[] {
  const best: Item[] = [];
  for (const one of items) {
    const last = best[max - 1];
    if ((last !== undefined && !isBefore(one, last)) || !isFit(one)) continue;
    if (last !== undefined) best.pop();
    let at = best.length;
    for (let other = best[at - 1]; other !== undefined && isBefore(one, other); other = best[at - 1]) at -= 1;
    best.splice(at, 0, one);
  }
  return best;
}

/** Below it a match is probably chance. */
const leastEvidence = 0.42;
/** Factors of the score. */
const demotions = {
  failing: 0.6,
  silent: 0.75,
  stale: 0.85,
  reported: 0.97,
  anonymous: 0.5,
  otherLayers: 0.7,
  otherLanguage: 0.7,
};
/** An anonymous entry gets at most this share of the lowest verified score. */
const belowVerified = 0.97;
/** The share of the score that depends on relevance. */
const relative = 0.1;
const wordsMax = 12;
const wordMax = 80;

type ScoredCandidate = RankCandidate & {
  evidence: Evidence;
  score: number;
  language: string | undefined;
  layers: readonly string[];
};

/** Best first; each agent by its best capability. */
export function rank(
  request: SearchRequest,
  candidates: readonly RankCandidate[],
  now: number,
  limit: number,
): RankedEntry[] {
  const mostRelevance = candidates.reduce((most, { relevance }) => Math.max(most, relevance), Number.MIN_VALUE);
  const best = new Map<string, ScoredCandidate>();
  for (const candidate of candidates) {
    const judged = scoreCandidate(request, candidate, now);
    if (judged === undefined) continue;
    const { known, relevance } = candidate;
    const score = judged.score * (1 - relative + (relative * relevance) / mostRelevance);
    if (score > (best.get(known.key)?.score ?? 0)) best.set(known.key, { ...judged, score });
  }
  const inOrder = anonymousLast([...best.values()]).sort(
    (a, b) => b.score - a.score || (a.known.key < b.known.key ? -1 : 1),
  );
  return inOrder.slice(0, limit).map(toRankedEntry);
}

/** Anonymous entries rank below all verified ones, however well they match. */
function anonymousLast(judged: readonly ScoredCandidate[]): ScoredCandidate[] {
  const verified = judged.filter(({ known }) => isVerified(known));
  const most = verified.reduce((least, { score }) => Math.min(least, score * belowVerified), 1);
  return judged.map((one) => (one.known.isAnonymous === true ? { ...one, score: Math.min(one.score, most) } : one));
}

function capabilityOf({ known, capability }: RankCandidate): Capability | undefined {
  return capability === undefined ? undefined : known.manifest.capabilities[capability];
}

const textMax = 400;

/** Tokenized once, on demand. */
function synopsisOf({ manifest }: CatalogueEntry): () => readonly string[] {
  let terms: readonly string[] | undefined;
  return () => {
    terms ??= termsOf(manifest.identification.synopsis.slice(0, textMax));
    return terms;
  };
}

function scoreCandidate(request: SearchRequest, candidate: RankCandidate, now: number): ScoredCandidate | undefined {
  const { known, fields } = candidate;
  const capability = capabilityOf(candidate);
  const languages = capability?.languages;
  const knows = (asked: string) =>
    languages === undefined ? undefined : (bestLanguageMatch(asked, languages)?.share ?? 0);
  const evidence = evidenceOf(request, { ...fields, synopsis: synopsisOf(known) }, knows);
  if (evidence === undefined || evidence.share < leastEvidence) return undefined;
  const asked = request.wanted.flatMap(({ language, isDemanded }) => (isDemanded ? (language ?? []) : []));
  const preferred = [...asked, ...request.languages];
  const language = preferred.flatMap((tag) => bestLanguageMatch(tag, languages ?? [])?.tag ?? [])[0];
  const layers = supportedOf(request.layers, capability ?? { keyphrases: [], descriptions: [] });
  const factors = [
    known.health === "failing" || known.health === "silent" ? demotions[known.health] : 1,
    isStale(known, now) ? demotions.stale : 1,
    known.isAnonymous === true ? demotions.anonymous : isVerified(known) ? 1 : demotions.reported,
    request.layers.length > layers.length ? demotions.otherLayers : 1,
    preferred.length > 0 && language === undefined && languages !== undefined ? demotions.otherLanguage : 1,
  ];
  const score = factors.reduce((product, factor) => product * factor, evidence.share);
  return { ...candidate, evidence, score, language, layers };
}

function toRankedEntry(judged: ScoredCandidate): RankedEntry {
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

/** The matches as written in the manifest: the whole keyphrase, or the word of another text. */
function wordsIn({ manifest }: CatalogueEntry, capability: Capability | undefined, { terms }: Evidence): string[] {
  const { conversationalName, role = "", department = "", organization, synopsis } = manifest.identification;
  const phrases = [...(capability?.keyphrases ?? []), conversationalName, role, department, organization];
  const words = [...(capability?.descriptions ?? []), synopsis].flatMap((text) => wordsOf(text.slice(0, textMax)));
  const found = terms.flatMap((term) => {
    const phrase = phrases.find((one) => wordsOf(fold(one.slice(0, wordMax))).some((word) => termOf(word) === term));
    return phrase ?? words.find((word) => termOf(fold(word)) === term) ?? [];
  });
  return [...new Set(found.map((word) => word.slice(0, wordMax)))].slice(0, wordsMax);
}

/** The synopsis is not indexed: it is read only for terms that no other field contains. */
type SearchedFields = Fields & { synopsis: () => readonly string[] };

/** How much a match in this field counts. */
const strengths: Record<keyof SearchedFields, number> = { keyphrases: 1, name: 1, about: 0.8, who: 0.8, synopsis: 0.4 };
/** Fields of this capability; the others describe all that the agent does. */
const own: ReadonlySet<keyof SearchedFields> = new Set(["keyphrases", "name", "about"]);
/** Shares of the score, with a matching phrase and without one. */
const shares = { anchor: 0.5, coverage: 0.5, coverageAlone: 0.6 };
/** For a requested language that the capability lists but no field contains. */
const byLanguage = 0.9;

type Evidence = {
  /** 0 to 1. */
  share: number;
  /** The matching terms, by weight. */
  terms: readonly string[];
};

type Hit = { one: RequestTerm; hit: number; term: Term | undefined; isOwn: boolean };

/** Counts the best matching phrase and the share of the request that is covered. Undefined: the candidate cannot serve. */
function evidenceOf(
  { wanted }: SearchRequest,
  fields: SearchedFields,
  knows: (language: string) => number | undefined,
): Evidence | undefined {
  const hits = hitsOf(wanted, fields, knows);
  if (hits === undefined || !isOnTopic(hits)) return undefined;
  const whole = hits.reduce((sum, { one }) => sum + one.weight, 0);
  const coverage = hits.reduce((sum, { one, hit }) => sum + one.weight * hit, 0) / Math.max(whole, Number.MIN_VALUE);
  const withAnchor = shares.anchor * phraseMatch(hits, fields) + shares.coverage * coverage;
  const found = hits.filter(({ term }) => term !== undefined);
  found.sort((a, b) => b.one.weight * b.hit - a.one.weight * a.hit);
  return {
    share: Math.max(withAnchor, shares.coverageAlone * coverage),
    terms: found.flatMap(({ term }) => term?.text ?? []),
  };
}

function hitsOf(
  wanted: readonly RequestTerm[],
  fields: SearchedFields,
  knows: (language: string) => number | undefined,
): Hit[] | undefined {
  const hits: Hit[] = [];
  for (const one of wanted) {
    const { term, field } = foundOf(one.terms, fields);
    const said = field === undefined ? 0 : strengths[field] * one.likeness;
    const isOwn = field !== undefined && own.has(field);
    const spoken = one.language === undefined ? 0 : knows(one.language);
    // Without a list of languages the requirement counts neither way.
    if (one.isDemanded && spoken === undefined && !isOwn) continue;
    if (one.isDemanded && spoken === 0 && !isOwn) return undefined;
    hits.push({ one, term, isOwn, hit: Math.max(said, (spoken ?? 0) * byLanguage) });
  }
  return hits;
}

/**
 * A match of the language alone is not enough. With a required language the topic has to match in the same capability (D38): a
 * bank clerk who reports on sports in Inuktitut does no banking in it.
 */
function isOnTopic(hits: readonly Hit[]): boolean {
  const isDemanding = hits.some(({ one }) => one.isDemanded);
  const matter = hits.filter(({ one }) => one.language === undefined);
  if (!matter.some(({ one }) => one.isTelling)) return true;
  return matter.some(({ hit, isOwn }) => hit > 0 && (isOwn || !isDemanding));
}

/** The first term that any field contains. */
function foundOf(terms: readonly Term[], fields: SearchedFields): { term?: Term; field?: keyof SearchedFields } {
  for (const term of terms) {
    const field = fieldWith(term, fields);
    if (field !== undefined) return { term, field };
  }
  return {};
}

/** The strongest field that contains the term. */
function fieldWith(
  term: Term,
  { keyphrases, name, about, who, synopsis }: SearchedFields,
): keyof SearchedFields | undefined {
  if (keyphrases.some((phrase) => phrase.includes(term))) return "keyphrases";
  if (name.includes(term)) return "name";
  if (about.includes(term)) return "about";
  if (who.some((phrase) => phrase.includes(term))) return "who";
  return synopsis().includes(term.text) ? "synopsis" : undefined;
}

/** The best match of a whole phrase, 0 to 1. Half a phrase counts much less than half. */
function phraseMatch(hits: readonly Hit[], { keyphrases, name, who }: Fields): number {
  const asked = new Map(hits.flatMap(({ one, term }) => (term === undefined ? [] : [[term, one] as const])));
  let best = 0;
  for (const phrase of [...keyphrases, name, ...who]) {
    let [found, weight] = [0, 0];
    for (const term of phrase) {
      const one = asked.get(term);
      if (one === undefined) continue;
      found += 1;
      weight += (one.isTelling ? 1 : one.weight) * one.likeness;
    }
    if (found > 0) best = Math.max(best, Math.min(1, weight) * (found / phrase.length) ** 1.5);
  }
  return best;
}
