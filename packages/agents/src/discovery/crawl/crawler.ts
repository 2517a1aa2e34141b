import { isSameUri, type Manifest } from "@plenary/protocol";
import type { Acquaintance, AskingDialler } from "@plenary/sdk";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { addressOf, type Health, type Known } from "../catalogue/entry.ts";
import { type Circle, createCircle } from "../circle.ts";
import { type Addresses, createAddresses, type Self } from "./addresses.ts";
import { askWho } from "./ask.ts";
import { createLearning } from "./learn.ts";
import { createRequests } from "./requests.ts";

export type CrawlOptions = {
  catalogue: Catalogue;
  /** As who it asks, and whom it never lists. */
  self: Self;
  /** Absent: nobody is asked. */
  dialler?: AskingDialler;
  /** Addresses that somebody chose. */
  agents?: readonly string[];
  acquaintances?: () => readonly Acquaintance[];
  /** Manifests of agents that live in the same process. */
  neighbours?: readonly Manifest[];
  /** How long whoever asks waits for those who were never asked. */
  patienceMs: number;
  now?: () => number;
  onError?: (error: unknown) => void;
};

export type Crawl = Pick<
  Addresses,
  "isSelf" | "isDiscovery" | "isUnwell" | "noteDiscovery" | "guidesNoted" | "speakerAt"
> & {
  catalogue: Catalogue;
  circle: () => Circle;
  /** Once what is kept was read and everybody was asked who never was, as far as that takes no longer than a moment. */
  ready(): Promise<void>;
  noteHealth(serviceUrl: string, health: Health): void;
  /** Asks it soon because a stranger says so, unless too many are asked for that, or it was asked a moment ago. */
  askFor(serviceUrl: string): void;
  close(): Promise<void>;
};

const tickMs = 600_000;
/** Whoever has answered is asked again after an hour, whoever has not a while later. */
const freshMs = 3_600_000;
const failingMs = 6 * 3_600_000;
const againMs = 60_000;
const atOnce = 4;
const askedAtATimeMax = 200;

/** Keeps a catalogue true: it hears of agents from whoever is lent to it, and asks each of them now and then. */
export function createCrawl(options: CrawlOptions): Crawl {
  const { catalogue, self, patienceMs, dialler, now = Date.now, onError = () => {} } = options;
  const { agents = [], neighbours = [], acquaintances = () => [] } = options;
  const addresses = createAddresses(self, now);
  const at = () => new Date(now()).toISOString();
  const learn = createLearning(catalogue, addresses, at);
  const chosen = new Set(agents.map(addressOf));
  const circle = createCircle({ chosen, neighbours, ...(options.acquaintances && { acquaintances }) });
  const ended = new AbortController();
  const noteHealth: Crawl["noteHealth"] = (serviceUrl, health) => {
    addresses.noteUnwell(serviceUrl, health !== "answering");
    catalogue.health(serviceUrl, health, at());
  };
  const ask = async (serviceUrl: string): Promise<void> => {
    if (dialler === undefined || addresses.isAskedWithin(serviceUrl, againMs)) return;
    addresses.noteAsked(serviceUrl);
    const asking = await askWho(serviceUrl, { dialler, sender: self, signal: ended.signal });
    if (ended.signal.aborted) return;
    if (!asking.ok) return noteHealth(serviceUrl, asking.health);
    const { told } = asking;
    if (isSameUri(told.speakerUri, self.speakerUri)) return addresses.noteAlias(serviceUrl);
    const address = addressOf(serviceUrl);
    const { isAcquaintance } = circle();
    learn.told(told, { address, isChosen: chosen.has(address), isAcquaintance: isAcquaintance(address) });
    addresses.noteDiscovery(told.guides);
    addresses.noteSpeaker(serviceUrl, told.speakerUri);
    noteHealth(serviceUrl, "answering");
  };
  const round = createRounds(ask, () => dueIn({ catalogue, chosen, acquaintances: acquaintances() }, addresses, now()));
  const crawl = () => (dialler === undefined ? Promise.resolve() : round(now()).catch(onError));
  let tidiedAt = Number.NEGATIVE_INFINITY;
  const tidy = () => {
    if (options.acquaintances === undefined || now() - tidiedAt < roundMs) return;
    tidiedAt = now();
    learn.forgetGone(acquaintances(), neighbours);
  };
  const loaded = catalogue.load().catch(onError);
  for (const manifest of neighbours) learn.neighbour(manifest);
  const timer = dialler === undefined ? undefined : setInterval(crawl, tickMs);
  timer?.unref();
  void loaded.then(crawl);
  return {
    ...{ ...addresses, circle, catalogue, noteHealth },
    askFor: createRequests(ask, now),
    async ready() {
      await loaded;
      tidy();
      for (const acquaintance of acquaintances()) learn.acquaintance(acquaintance);
      const crawled = crawl();
      const isNew = [...chosen].some((address) => catalogue.atService(address).length === 0);
      if (isNew) await Promise.race([crawled, moment(patienceMs, ended.signal)]);
    },
    async close() {
      clearInterval(timer);
      ended.abort();
      await loaded;
      await catalogue.close();
    },
  };
}

type Places = { catalogue: Catalogue; chosen: ReadonlySet<string>; acquaintances: readonly Acquaintance[] };

/** Those to ask now: whoever was chosen, whoever the floor knows and has no manifest of, and whoever was not asked for long. */
function dueIn({ catalogue, chosen, acquaintances }: Places, { isAskedWithin }: Addresses, now: number): string[] {
  const unknown = acquaintances.filter(({ manifest }) => manifest === undefined);
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

/** What somebody merely told of is not called for that: he might tell of anybody. */
function isOld({ source, heardAt, health, healthAt = heardAt }: Known, now: number): boolean {
  if (source !== "itself") return false;
  const lastMs = Math.max(Date.parse(heardAt), Date.parse(healthAt));
  return now - lastMs >= (health === "answering" ? freshMs : failingMs);
}

const roundMs = 30_000;

/** One round at a time, and not all the time, a few addresses at once; whoever comes while one runs waits for that one. */
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

function moment(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
