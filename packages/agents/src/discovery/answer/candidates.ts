// Which agents can help with a task: from the own catalogue and from other discovery agents.
import { foldUri, type Manifest, type ScoredManifest, type Sender } from "@plenary/protocol";
import type { AskingDialler, FoundAgent, Reasons } from "@plenary/sdk";
import { type CatalogueEntry, isVerified, keyOf, type RankedEntry } from "../catalogue/entry.ts";
import type { Crawler } from "../crawl/crawler.ts";
import type { EnvelopeQuota } from "../quotas.ts";
import { bestOf } from "../search/rank.ts";
import { isOnlyDiscovery, visibilityFor } from "../visibility.ts";
import { type Consult, type TaskOptions, withScore } from "./consult.ts";

export type DiscoveryContext = {
  crawler: Crawler;
  dialler?: AskingDialler;
  /** Discovery agents from the operator; others come from the catalogue. */
  peers: readonly string[];
  consult: Consult;
  /** The answer to a 0.9 request without a task. */
  favorite: () => Manifest | undefined;
  /** True if the sender is verified to be the floor itself. */
  isHost: (sender: Sender) => boolean;
  quotaOf: (sender: Sender) => EnvelopeQuota;
};

export type Recommended = { manifest: ScoredManifest; reasons: Reasons };
export type Recommendations = { servicing: readonly Recommended[]; discovery: readonly Recommended[] };

export type Asking = {
  /** This agent, with the address of the request if no other is configured. */
  self: Sender;
  asker: Sender;
  options: TaskOptions;
  signal: AbortSignal;
};

const servicingMax = 10;
const discoveryMax = 8;
const generalMax = 12;

/** Asks other discovery agents, too. */
export async function recommendFor(text: string, asking: Asking, context: DiscoveryContext): Promise<Recommendations> {
  const own = recommendLocally(text, asking, context);
  const { dialler } = context;
  if (dialler === undefined) return own;
  const { found, asked } = await context.consult({
    text,
    dialler,
    options: asking.options,
    signal: asking.signal,
    sender: asking.self,
    peers: peersOf(own.discovery, asking, context),
  });
  for (const { serviceUrl, isAnswering } of asking.signal.aborted ? [] : asked) {
    context.crawler.noteHealth(serviceUrl, isAnswering ? "answering" : "silent");
  }
  return merged(own, found, asking, context);
}

/** From the own catalogue only, so that no other agent learns the task. */
export function recommendLocally(text: string, asking: Asking, context: DiscoveryContext): Recommendations {
  const { languages, layers } = asking.options;
  const { isServing } = visibilityFor(asking, context);
  const discoveryAgents = discoveryAgentsFor(asking, context);
  const discoveryAgentSet = new Set(discoveryAgents);
  const [serving = [], discovering = []] = context.crawler.catalogue.findEach({ text, languages, layers }, [
    { limit: servicingMax, matches: isServing },
    { limit: discoveryMax, matches: (known) => discoveryAgentSet.has(known) },
  ]);
  // Discovery agents that match the task come first, then the best known ones.
  const discovery = unique([...discovering.map(recommendedOf), ...best(discoveryAgents, discoveryMax)]);
  return { servicing: serving.map(recommendedOf), discovery: discovery.slice(0, discoveryMax) };
}

function recommendedOf({ known, score, reasons }: RankedEntry): Recommended {
  return { manifest: withScore(known.manifest, score), reasons };
}

/** By their role, or because others published them as discovery agents; without those that the search has visited. */
function discoveryAgentsFor(asking: Asking, context: DiscoveryContext): CatalogueEntry[] {
  const { catalogue, notedDiscoveryAgents } = context.crawler;
  const { isDiscoveryAgent } = visibilityFor(asking, context);
  const isVisited = isVisitedBy(asking.options.visited);
  const noted = new Set(notedDiscoveryAgents().flatMap(catalogue.atService));
  return catalogue
    .all()
    .filter((known) => isOnlyDiscovery(known.manifest) || noted.has(known))
    .filter((known) => isDiscoveryAgent(known) && !isVisited(known.manifest));
}

/** Spec 1.17, use case 1, for other agents: the best known ones, without a task. */
export function recommendInGeneral(asking: Asking, context: DiscoveryContext): Recommendations {
  const { isServing } = visibilityFor(asking, context);
  return {
    servicing: best(context.crawler.catalogue.all().filter(isServing), generalMax),
    discovery: best(discoveryAgentsFor(asking, context), discoveryMax),
  };
}

const healthScore = { answering: 0.5, unknown: 0.3, silent: 0.2, failing: 0.1 };
/** Anonymous reports rank below everything that the floor has learned itself. */
const trustFactors = { verified: 1, reported: 0.5, anonymous: 0.15 };

/** The score without a task: by source and health. */
export function generalScore(known: CatalogueEntry): number {
  const trust = known.isAnonymous === true ? "anonymous" : isVerified(known) ? "verified" : "reported";
  return healthScore[known.health ?? "unknown"] * trustFactors[trust];
}

function best(known: readonly CatalogueEntry[], max: number): Recommended[] {
  const isBefore = (one: CatalogueEntry, other: CatalogueEntry) =>
    generalScore(one) > generalScore(other) ||
    (generalScore(one) === generalScore(other) && one.heardAt > other.heardAt);
  return bestOf(known, max, isBefore).map((one) => ({
    manifest: withScore(one.manifest, generalScore(one)),
    reasons: {
      words: [],
      ...(one.health && { health: one.health }),
      heardAt: one.heardAt,
      ...(!isVerified(one) && { isUnverified: true }),
    },
  }));
}

function merged(
  own: Recommendations,
  found: readonly FoundAgent[],
  asking: Asking,
  context: DiscoveryContext,
): Recommendations {
  const { isHidden } = visibilityFor(asking, context);
  const isVisited = isVisitedBy(asking.options.visited);
  const { catalogue } = context.crawler;
  const shown = found.filter(({ manifest }) => !isHidden(manifest) && !catalogue.isElsewhere(manifest));
  const reported = (wanted: "servicing" | "discovery") =>
    shown
      .filter(({ kind }) => kind === wanted)
      .map(({ manifest, reasons = { words: [] } }) => ({
        manifest: withScore(manifest, manifest.score ?? 0),
        reasons,
      }));
  const byScore = (one: Recommended, other: Recommended) => (other.manifest.score ?? 0) - (one.manifest.score ?? 0);
  const servicing = unique([...own.servicing, ...reported("servicing")]).sort(byScore);
  const others = reported("discovery").filter(({ manifest }) => !isVisited(manifest));
  const discovery = unique([...own.discovery, ...others]);
  return { servicing: servicing.slice(0, servicingMax), discovery: discovery.slice(0, discoveryMax) };
}

/** The first of several candidates with the same key wins: the own entry comes before those of other agents. */
function unique(candidates: readonly Recommended[]): Recommended[] {
  const seen = new Set<string>();
  return candidates.filter(({ manifest: { identification } }) => {
    const key = keyOf(identification);
    return seen.has(key) ? false : seen.add(key);
  });
}

function isVisitedBy(visited: readonly string[]): (manifest: Manifest) => boolean {
  const names = new Set(visited.map(foldUri));
  return ({ identification }) =>
    [identification.speakerUri, identification.serviceUrl].some((name) => names.has(foldUri(name)));
}

/**
 * A task is private (spec 1.17): it goes only to discovery agents that the operator or the floor's host named. Others are
 * recommended, not called. One address per agent.
 */
function peersOf(
  discovery: readonly Recommended[],
  { options }: Asking,
  { crawler, peers }: DiscoveryContext,
): string[] {
  const { isTrusted } = crawler.trust();
  const known = discovery
    .map(({ manifest: { identification } }) => identification)
    .filter(({ serviceUrl }) => isTrusted(serviceUrl));
  const chosen = peers.map((serviceUrl) => ({ serviceUrl, speakerUri: crawler.speakerAt(serviceUrl) ?? serviceUrl }));
  const seen = new Set(options.visited.map(foldUri));
  return [...chosen, ...known].flatMap(({ serviceUrl, speakerUri }) => {
    const names = [foldUri(serviceUrl), foldUri(speakerUri)];
    if (crawler.isUnwell(serviceUrl) || names.some((name) => seen.has(name))) return [];
    for (const name of names) seen.add(name);
    return [serviceUrl];
  });
}
