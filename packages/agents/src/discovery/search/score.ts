import type { Request, Wanted } from "./request.ts";
import type { Fields, Term } from "./terms.ts";

/** What somebody says. The synopsis finds nobody, and is read when a word of a request stands nowhere else. */
export type Said = Fields & { synopsis: () => readonly string[] };

/** How much a word found there tells of what somebody does. */
const strengths: Record<keyof Said, number> = { keyphrases: 1, name: 1, about: 0.8, who: 0.8, synopsis: 0.4 };
/** Of this capability and this agent alone; the others speak of all that somebody does. */
const own: ReadonlySet<keyof Said> = new Set(["keyphrases", "name", "about"]);
/** Of the score: with a phrase that is its subject, and without. */
const shares = { anchor: 0.5, coverage: 0.5, coverageAlone: 0.6 };
/** A language that is asked for and known, where the word itself stands nowhere. */
const byLanguage = 0.9;

export type Evidence = {
  /** 0 to 1: nothing speaks for it, everything does. */
  share: number;
  /** The terms that were found, the weightiest first. */
  terms: readonly string[];
};

type Hit = { one: Wanted; hit: number; term: Term | undefined; isOwn: boolean };

/**
 * Both matter: a phrase that somebody gave as its subject and the request repeats, and how much of what is asked is spoken
 * of at all. A stray word is neither. Undefined: it cannot serve.
 */
export function evidenceOf(
  { wanted }: Request,
  fields: Said,
  knows: (language: string) => number | undefined,
): Evidence | undefined {
  const hits = hitsOf(wanted, fields, knows);
  if (hits === undefined || !isOnSubject(hits)) return undefined;
  const whole = hits.reduce((sum, { one }) => sum + one.weight, 0);
  const coverage = hits.reduce((sum, { one, hit }) => sum + one.weight * hit, 0) / Math.max(whole, Number.MIN_VALUE);
  const withAnchor = shares.anchor * anchorOf(hits, fields) + shares.coverage * coverage;
  const found = hits.filter(({ term }) => term !== undefined);
  found.sort((a, b) => b.one.weight * b.hit - a.one.weight * a.hit);
  return {
    share: Math.max(withAnchor, shares.coverageAlone * coverage),
    terms: found.flatMap(({ term }) => term?.text ?? []),
  };
}

function hitsOf(
  wanted: readonly Wanted[],
  fields: Said,
  knows: (language: string) => number | undefined,
): Hit[] | undefined {
  const hits: Hit[] = [];
  for (const one of wanted) {
    const { term, field } = foundOf(one.terms, fields);
    const said = field === undefined ? 0 : strengths[field] * one.likeness;
    const isOwn = field !== undefined && own.has(field);
    const spoken = one.language === undefined ? 0 : knows(one.language);
    // It does not say which languages it knows: that speaks neither for it nor against it.
    if (one.isDemanded && spoken === undefined && !isOwn) continue;
    if (one.isDemanded && spoken === 0 && !isOwn) return undefined;
    hits.push({ one, term, isOwn, hit: Math.max(said, (spoken ?? 0) * byLanguage) });
  }
  return hits;
}

/**
 * Who only knows the language of a request does not know its matter. Where one is demanded, the matter is one of the same
 * capability (D38): a bank clerk who reports on sports in Inuktitut does no banking in it.
 */
function isOnSubject(hits: readonly Hit[]): boolean {
  const isDemanding = hits.some(({ one }) => one.isDemanded);
  const matter = hits.filter(({ one }) => one.language === undefined);
  if (!matter.some(({ one }) => one.isTelling)) return true;
  return matter.some(({ hit, isOwn }) => hit > 0 && (isOwn || !isDemanding));
}

/** The likeliest of those that were meant. */
function foundOf(terms: readonly Term[], fields: Said): { term?: Term; field?: keyof Said } {
  for (const term of terms) {
    const field = fieldWith(term, fields);
    if (field !== undefined) return { term, field };
  }
  return {};
}

/** The weightiest that has it. */
function fieldWith(term: Term, { keyphrases, name, about, who, synopsis }: Said): keyof Said | undefined {
  if (keyphrases.some((phrase) => phrase.includes(term))) return "keyphrases";
  if (name.includes(term)) return "name";
  if (about.includes(term)) return "about";
  if (who.some((phrase) => phrase.includes(term))) return "who";
  return synopsis().includes(term.text) ? "synopsis" : undefined;
}

/** The phrase of its own that the request repeats best, 0 to 1. Half of a phrase is much less than half of the matter. */
function anchorOf(hits: readonly Hit[], { keyphrases, name, who }: Fields): number {
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
