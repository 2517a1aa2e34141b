import { setTimeout as pause } from "node:timers/promises";
import { isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import type { AgentSummary, AskingDialler } from "@plenary/sdk";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { addressOf, type CatalogueEntry, type Health } from "../catalogue/entry.ts";
import { createTrust } from "../visibility.ts";
import { type AddressBook, createAddressBook, createLearner, fetchManifests } from "./learn.ts";

export type CrawlerOptions = {
  catalogue: Catalogue;
  /** The sender of its questions; never listed. */
  self: Sender;
  /** Absent: it asks no agents. */
  dialler?: AskingDialler;
  /** Addresses from the operator. */
  agents?: readonly string[];
  knownAgents?: () => readonly AgentSummary[];
  /** Manifests of agents in the same process. */
  neighbours?: readonly Manifest[];
  /** How long `ready` waits for agents that were never asked. */
  patienceMs: number;
  now?: () => number;
  onError?: (error: unknown) => void;
};

export type Crawler = ReturnType<typeof createCrawler>;

const tickMs = 600_000;
/** Agents that answered are asked again after `freshMs`, others after `failingMs`. */
const freshMs = 3_600_000;
const failingMs = 6 * 3_600_000;
const againMs = 60_000;
const atOnce = 4;
const askedAtATimeMax = 200;

/** Keeps the catalogue up to date: takes manifests from the floor and asks agents periodically. */
export function createCrawler(options: CrawlerOptions) {
  const { catalogue, self, patienceMs, dialler, now = Date.now, onError = () => {} } = options;
  const { agents = [], neighbours = [], knownAgents = () => [] } = options;
  const addresses = createAddressBook(self, now);
  const at = () => new Date(now()).toISOString();
  const learner = createLearner(catalogue, addresses, at);
  const chosen = new Set(agents.map(addressOf));
  const trust = createTrust({ chosen, neighbours, ...(options.knownAgents && { knownAgents }) });
  const ended = new AbortController();
  const noteHealth = (serviceUrl: string, health: Health) => {
    addresses.noteUnwell(serviceUrl, health !== "answering");
    catalogue.health(serviceUrl, health, at());
  };
  const ask = async (serviceUrl: string): Promise<void> => {
    if (dialler === undefined || addresses.isAskedWithin(serviceUrl, againMs)) return;
    addresses.noteAsked(serviceUrl);
    const fetched = await fetchManifests(serviceUrl, { dialler, sender: self, signal: ended.signal });
    if (ended.signal.aborted) return;
    if (typeof fetched === "string") return noteHealth(serviceUrl, fetched);
    if (isSameUri(fetched.speakerUri, self.speakerUri)) return addresses.noteAlias(serviceUrl);
    const address = addressOf(serviceUrl);
    const { isKnownAgent } = trust();
    learner.fetched(fetched, { address, isChosen: chosen.has(address), isKnownAgent: isKnownAgent(address) });
    addresses.noteDiscovery(fetched.discoveryAddresses);
    addresses.noteSpeaker(serviceUrl, fetched.speakerUri);
    noteHealth(serviceUrl, "answering");
  };
  const round = createRounds(ask, () => dueIn({ catalogue, chosen, knownAgents: knownAgents() }, addresses, now()));
  const crawl = () => (dialler === undefined ? Promise.resolve() : round(now()).catch(onError));
  let cleanedAt = Number.NEGATIVE_INFINITY;
  const forgetGone = () => {
    if (options.knownAgents === undefined || now() - cleanedAt < roundMs) return;
    cleanedAt = now();
    learner.forgetGone(knownAgents(), neighbours);
  };
  const loaded = catalogue.load().catch(onError);
  for (const manifest of neighbours) learner.neighbour(manifest);
  const timer = dialler === undefined ? undefined : setInterval(crawl, tickMs);
  timer?.unref();
  void loaded.then(crawl);
  return {
    ...addresses,
    trust,
    catalogue,
    noteHealth,
    /** Asks an agent because an anonymous sender published it: rate limited, and not if it was asked a moment ago. */
    askFor: createRequests(ask, now),
    /** Resolves when the stored entries are loaded and new agents were asked, within `patienceMs`. */
    async ready() {
      await loaded;
      forgetGone();
      for (const knownAgent of knownAgents()) learner.knownAgent(knownAgent);
      const crawled = crawl();
      const isNew = [...chosen].some((address) => catalogue.atService(address).length === 0);
      // An abort by `close` ends the wait.
      const waited = () => pause(patienceMs, undefined, { ref: false, signal: ended.signal }).catch(() => {});
      if (isNew) await Promise.race([crawled, waited()]);
    },
    async close() {
      clearInterval(timer);
      ended.abort();
      await loaded;
      await catalogue.close();
    },
  };
}

type DueSources = { catalogue: Catalogue; chosen: ReadonlySet<string>; knownAgents: readonly AgentSummary[] };

/** The addresses to ask now: from the operator, agents of the floor without a manifest, and agents not asked for long. */
function dueIn({ catalogue, chosen, knownAgents }: DueSources, { isAskedWithin }: AddressBook, now: number): string[] {
  const unknown = knownAgents.filter(({ manifest }) => manifest === undefined);
  const first = [...chosen, ...unknown.map(({ serviceUrl }) => addressOf(serviceUrl))];
  const old = catalogue
    .all()
    .filter((known) => isOld(known, now))
    .map(({ manifest }) => addressOf(manifest.identification.serviceUrl));
  const due = [
    ...first.filter((address) => !isAskedWithin(address, tickMs)),
    ...old.filter((address) => !isAskedWithin(address, freshMs)),
  ];
  return [...new Set(due)].slice(0, askedAtATimeMax);
}

/** Reported agents are not called: a report could name any address. */
function isOld({ source, heardAt, health, healthAt = heardAt }: CatalogueEntry, now: number): boolean {
  if (source !== "itself") return false;
  const lastMs = Math.max(Date.parse(heardAt), Date.parse(healthAt));
  return now - lastMs >= (health === "answering" ? freshMs : failingMs);
}

const roundMs = 30_000;

/** One round at a time, at most one per `roundMs`, a few addresses at once. Callers during a round wait for it. */
function createRounds(ask: (serviceUrl: string) => Promise<void>, due: () => readonly string[]) {
  let running: Promise<void> | undefined;
  let begunAt = Number.NEGATIVE_INFINITY;
  const round = async () => {
    const waiting = [...due()];
    const worker = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await ask(next);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };
  return async (now: number): Promise<void> => {
    if (running === undefined && now - begunAt < roundMs) return;
    if (running === undefined) begunAt = now;
    running ??= round().finally(() => {
      running = undefined;
    });
    await running;
  };
}

const requestedAtOnce = 2;
const minuteMs = 60_000;
const ofOneHostMax = 6;
const inAMinuteMax = 30;

/**
 * Rate limits the calls that anonymous senders cause: at once, per host on any port, and in all. Excess calls are dropped: the
 * crawler asks known agents again within the hour.
 */
function createRequests(ask: (serviceUrl: string) => Promise<void>, now: () => number) {
  const waiting: string[] = [];
  const countByHost = new Map<string, number>();
  let count = 0;
  let begunAt = Number.NEGATIVE_INFINITY;
  let under = 0;
  const takeOne = (host: string) => {
    if (now() - begunAt >= minuteMs) {
      begunAt = now();
      count = 0;
      countByHost.clear();
    }
    const ofHost = countByHost.get(host) ?? 0;
    if (count >= inAMinuteMax || ofHost >= ofOneHostMax || waiting.length >= inAMinuteMax) return false;
    count += 1;
    countByHost.set(host, ofHost + 1);
    return true;
  };
  const work = async () => {
    under += 1;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await ask(next);
    under -= 1;
  };
  /** `ask` never rejects. */
  return (serviceUrl: string): void => {
    if (!URL.canParse(serviceUrl) || waiting.includes(serviceUrl) || !takeOne(new URL(serviceUrl).hostname)) return;
    waiting.push(serviceUrl);
    if (under < requestedAtOnce) void work();
  };
}
