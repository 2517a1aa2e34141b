// Who can help with a task: own knowledge, and beside it what other discovery agents say.
import { foldUri, type Manifest, type ScoredManifest, type Sender } from "@plenary/protocol";
import type { AskingDialler, Reasons } from "@plenary/sdk";
import { isVerified, type Known, keyOf, type Ranked } from "../catalogue/entry.ts";
import type { Crawl } from "../crawl/crawler.ts";
import type { Allowance } from "../quotas.ts";
import { audienceOf, isOnlyDiscovery } from "../visibility.ts";
import { type Consult, type Consultation, published } from "./consult.ts";
import type { Wish } from "./task.ts";

export type Mind = {
  crawl: Crawl;
  dialler?: AskingDialler;
  /** Discovery agents that somebody chose; others are known from the catalogue. */
  peers: readonly string[];
  consult: Consult;
  /** For an asker of 0.9 who says nothing of a task. */
  favorite: () => Manifest | undefined;
  /** Whether that is surely the floor itself. */
  isHost: (sender: Sender) => boolean;
  /** What the envelope of this sender may cause. */
  allowanceOf: (sender: Sender) => Allowance;
};

/** One who is recommended, and why. */
export type Candidate = { manifest: ScoredManifest; reasons: Reasons };
export type Choice = { servicing: readonly Candidate[]; discovery: readonly Candidate[] };

export type Situation = {
  /** This agent; where it is served elsewhere, its address is known once it is asked. */
  self: Sender;
  asker: Sender;
  wish: Wish;
  signal: AbortSignal;
};

const servicingMax = 10;
const discoveryMax = 8;
const generalMax = 12;

/** Own knowledge first; what other discovery agents say beside it. */
export async function chosenFor(text: string, situation: Situation, mind: Mind): Promise<Choice> {
  const own = chosenHere(text, situation, mind);
  const { dialler } = mind;
  if (dialler === undefined) return own;
  const consultation = await mind.consult({
    ...{ text, dialler, wish: situation.wish, signal: situation.signal },
    sender: situation.self,
    peers: peersOf(own.discovery, situation, mind),
  });
  if (!situation.signal.aborted) noteHealth(consultation, mind);
  return merged(own, consultation, situation, mind);
}

/** From what is known here, so that nobody else learns what is looked for. */
export function chosenHere(text: string, situation: Situation, mind: Mind): Choice {
  const { languages, layers, visited } = situation.wish;
  const { isServing, isGuide } = audienceOf(situation, mind.crawl, mind.isHost);
  const isVisited = visitedBy(visited);
  const guides = guidesIn(mind.crawl).filter((known) => isGuide(known) && !isVisited(known.manifest));
  const amongGuides = new Set(guides);
  const [serving = [], guiding = []] = mind.crawl.catalogue.findEach({ text, languages, layers }, [
    { limit: servicingMax, isMeant: isServing },
    ...(guides.length > 0 ? [{ limit: discoveryMax, isMeant: (known: Known) => amongGuides.has(known) }] : []),
  ]);
  // Discovery agents whose field it is come first, then whoever is known best.
  const discovery = unique([...guiding.map(candidateOf), ...best(guides, discoveryMax)]).slice(0, discoveryMax);
  return { servicing: serving.map(candidateOf), discovery };
}

function candidateOf({ known, score, reasons }: Ranked): Candidate {
  return { manifest: published(known.manifest, score), reasons };
}

/** Discovery agents, by their roles or because somebody told of them as such. */
function guidesIn({ catalogue, guidesNoted }: Crawl): Known[] {
  const noted = new Set(guidesNoted().flatMap(catalogue.atService));
  return catalogue.all().filter((known) => isOnlyDiscovery(known.manifest) || noted.has(known));
}

/** Use case 1 beyond itself: whoever is known best. */
export function inGeneral(situation: Situation, mind: Mind): Choice {
  const { crawl, isHost } = mind;
  const { isServing, isGuide } = audienceOf(situation, crawl, isHost);
  const isVisited = visitedBy(situation.wish.visited);
  return {
    servicing: best(crawl.catalogue.all().filter(isServing), generalMax),
    discovery: best(
      guidesIn(crawl).filter((known) => isGuide(known) && !isVisited(known.manifest)),
      discoveryMax,
    ),
  };
}

const healthScore = { answering: 0.5, unknown: 0.3, silent: 0.2, failing: 0.1 };
/** Of the score; what a stranger told stands behind all that the floor has learned itself. */
const trustIn = { verified: 1, told: 0.5, anonymous: 0.15 };

/** Without a task only this tells them apart: who told of them, whether they answer, and when they were heard of. */
export function scoreOf(known: Known): number {
  const trust = known.isAnonymous === true ? "anonymous" : isVerified(known) ? "verified" : "told";
  return healthScore[known.health ?? "unknown"] * trustIn[trust];
}

function best(known: readonly Known[], max: number): Candidate[] {
  const isBefore = (one: Known, other: Known) =>
    scoreOf(one) > scoreOf(other) || (scoreOf(one) === scoreOf(other) && one.heardAt > other.heardAt);
  const first: Known[] = [];
  // Of thousands a few are wanted: sorting them all would make everybody wait.
  for (const one of known) {
    const last = first[max - 1];
    if (last !== undefined && !isBefore(one, last)) continue;
    if (last !== undefined) first.pop();
    const at = first.findIndex((other) => isBefore(one, other));
    first.splice(at === -1 ? first.length : at, 0, one);
  }
  return first.map((one) => ({
    manifest: published(one.manifest, scoreOf(one)),
    reasons: {
      words: [],
      ...(one.health && { health: one.health }),
      heardAt: one.heardAt,
      ...(!isVerified(one) && { isUnverified: true }),
    },
  }));
}

function merged(own: Choice, { found }: Consultation, situation: Situation, mind: Mind): Choice {
  const { isHidden } = audienceOf(situation, mind.crawl, mind.isHost);
  const isVisited = visitedBy(situation.wish.visited);
  const { catalogue } = mind.crawl;
  const told = found
    .filter(({ manifest }) => !isHidden(manifest) && !catalogue.isElsewhere(manifest))
    .map(({ kind, manifest, reasons = { words: [] } }) => ({
      kind,
      candidate: { manifest: published(manifest, manifest.score ?? 0), reasons },
    }));
  const of = (wanted: "servicing" | "discovery") =>
    told.filter(({ kind }) => kind === wanted).map(({ candidate }) => candidate);
  const byScore = (one: Candidate, other: Candidate) => (other.manifest.score ?? 0) - (one.manifest.score ?? 0);
  return {
    servicing: unique([...own.servicing, ...of("servicing")])
      .sort(byScore)
      .slice(0, servicingMax),
    discovery: unique([...own.discovery, ...of("discovery").filter(({ manifest }) => !isVisited(manifest))]).slice(
      0,
      discoveryMax,
    ),
  };
}

/** What is known here stands before what others say of the same one. */
function unique(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ manifest: { identification } }) => {
    const key = keyOf(identification.speakerUri, identification.serviceUrl);
    return seen.has(key) ? false : seen.add(key);
  });
}

function visitedBy(visited: readonly string[]): (manifest: Manifest) => boolean {
  const names = new Set(visited.map(foldUri));
  return ({ identification }) =>
    [identification.speakerUri, identification.serviceUrl].some((name) => names.has(foldUri(name)));
}

/**
 * A task is private (spec 1.17): those are asked about it whom somebody with a right to it named. Whoever came by itself,
 * or was told of, is recommended and not called. Each by one address.
 */
function peersOf(discovery: readonly Candidate[], { wish }: Situation, { crawl, peers }: Mind): string[] {
  const { isTrusted } = crawl.circle();
  const known = discovery
    .map(({ manifest: { identification } }) => identification)
    .filter(({ serviceUrl }) => isTrusted(serviceUrl));
  const chosen = peers.map((serviceUrl) => ({ serviceUrl, speakerUri: crawl.speakerAt(serviceUrl) ?? serviceUrl }));
  const seen = new Set(wish.visited.map(foldUri));
  return [...chosen, ...known].flatMap(({ serviceUrl, speakerUri }) => {
    const names = [foldUri(serviceUrl), foldUri(speakerUri)];
    if (crawl.isUnwell(serviceUrl) || names.some((name) => seen.has(name))) return [];
    for (const name of names) seen.add(name);
    return [serviceUrl];
  });
}

function noteHealth({ asked }: Consultation, { crawl }: Mind): void {
  for (const { serviceUrl, isAnswering } of asked) crawl.noteHealth(serviceUrl, isAnswering ? "answering" : "silent");
}
