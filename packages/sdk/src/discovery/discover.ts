import { foldUri, type Sender } from "@plenary/protocol";
import type { AskingDialler } from "../ask-agent.ts";
import { type Answered, askDiscovery, type Wanted } from "./ask-discovery-agent.ts";
import type { Found } from "./recommendation.ts";

export type DiscoverOptions = {
  /** The discovery agents to begin with, by their serviceUrl. */
  ask: readonly string[];
  dialler: AskingDialler;
  /** As whom to ask. Default: nobody in particular. */
  sender?: Sender;
  /** Also those to begin with stand in `via` of what they recommend. */
  isEachNamed?: boolean;
  /** Who needs not be asked, by speakerUri or serviceUrl: it has been asked already, or asks us. */
  visited?: readonly string[];
  /** So often those that were asked may lead on to others. Default: 3. */
  depthMax?: number;
  /** Default: 16 in all. */
  askedMax?: number;
  /** For all of it. Default: 10,000. */
  timeoutMs?: number;
  /** For each that is asked. Default: 5,000. */
  answerMs?: number;
  /** Of one answer. Default: 1 MiB. */
  answerBytesMax?: number;
  /** Default: 100. */
  foundMax?: number;
  signal?: AbortSignal;
};

/** One discovery agent that was asked, and how that went. */
export type Asked = {
  serviceUrl: string;
  /** As it signs. */
  speakerUri?: string;
  /** Who led to it, by serviceUrl. */
  via?: string;
  /** How many it recommends, discovery agents included. */
  found: number;
  /** Why nothing came of it. */
  problem?: string;
};

export type Discovered = {
  /** The best first: by score, then whoever has none, then discovery agents that may know more and were not asked. */
  found: Found[];
  asked: Asked[];
  /** Discovery agents that were recommended, and not asked because there is an end to everything. */
  unasked: number;
};

const textMax = 4_000;
const defaults = {
  ...{ depthMax: 3, askedMax: 16, foundMax: 100 },
  ...{ timeoutMs: 10_000, answerMs: 5_000, answerBytesMax: 1_048_576 },
};

/**
 * Spec 1.17 and 1.18: asks discovery agents who can help, then those whom they recommend to ask, each once. What one of
 * them does wrong is told in `asked` and stops nobody else.
 */
export async function discover(wanted: Wanted, options: DiscoverOptions): Promise<Discovered> {
  assertAskable(wanted);
  const over = new AbortController();
  const end = () => over.abort();
  const search = new Walk(wanted, { ...options, ...defaults, ...given(options), signal: over.signal });
  const timer = setTimeout(end, options.timeoutMs ?? defaults.timeoutMs);
  options.signal?.addEventListener("abort", end);
  if (options.signal?.aborted === true) end();
  try {
    await search.follow(options.ask.map((serviceUrl) => ({ serviceUrl, depth: 0 })));
    return search.result();
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", end);
  }
}

type Next = { serviceUrl: string; speakerUri?: string; via?: string; depth: number };
type Bounds = Omit<DiscoverOptions, "signal"> & typeof defaults & { signal: AbortSignal };

/** One walk over discovery agents. Each leads on as soon as it has answered: nobody waits for the slowest. */
class Walk {
  readonly #wanted: Wanted;
  readonly #bounds: Bounds;
  /** By both their names. */
  readonly #visited: Set<string>;
  readonly #passedOver = new Set<string>();
  readonly #asked: Asked[] = [];
  readonly #found = new Map<string, Found>();
  #begun = 0;

  constructor(wanted: Wanted, bounds: Bounds) {
    this.#wanted = wanted;
    this.#bounds = bounds;
    this.#visited = new Set((bounds.visited ?? []).map(foldUri));
  }

  async follow(leads: readonly Next[]): Promise<void> {
    await Promise.all(leads.filter((lead) => this.#isFresh(lead)).map((lead) => this.#visit(lead)));
  }

  result(): Discovered {
    const unasked = [...this.#passedOver].filter((serviceUrl) => !this.#visited.has(serviceUrl)).length;
    // What a discovery agent that was asked knows is in the list already.
    const found = ranked(this.#found).filter(({ kind, manifest: { identification } }) => {
      return kind === "servicing" || !this.#visited.has(foldUri(identification.serviceUrl));
    });
    return { found: found.slice(0, this.#bounds.foundMax), asked: this.#asked, unasked };
  }

  async #visit({ serviceUrl, via, depth }: Next): Promise<void> {
    const answer = await askDiscovery(serviceUrl, {
      ...{ ...this.#wanted, ...this.#bounds },
      // Each listens to one of its own: Node takes many listeners to one for a leak, and says so to whoever asks.
      signal: AbortSignal.any([this.#bounds.signal]),
      visited: [...this.#visited].slice(0, visitedMax),
    });
    this.#asked.push(accountOf(serviceUrl, via, answer));
    if (!answer.ok) return;
    // It may be recommended elsewhere under the name by which it signs.
    this.#visited.add(foldUri(answer.speakerUri));
    const isNamed = depth > 0 || this.#bounds.isEachNamed === true;
    merge(this.#found, answer, isNamed ? answer.speakerUri : undefined);
    await this.follow(
      answer.discovery.map(({ manifest }) => {
        const { serviceUrl: next, speakerUri } = manifest.identification;
        return { serviceUrl: next, speakerUri, via: serviceUrl, depth: depth + 1 };
      }),
    );
  }

  /** Whether it is to be asked; who was, by either name, is not asked again. */
  #isFresh({ serviceUrl, speakerUri = serviceUrl, depth }: Next): boolean {
    const names = [foldUri(serviceUrl), foldUri(speakerUri)];
    if (names.some((name) => this.#visited.has(name))) return false;
    const { depthMax, askedMax, signal } = this.#bounds;
    if (depth > depthMax || this.#begun >= askedMax || signal.aborted) {
      this.#passedOver.add(foldUri(serviceUrl));
      return false;
    }
    this.#begun += 1;
    for (const name of names) this.#visited.add(name);
    return true;
  }
}

const visitedMax = 64;

function accountOf(serviceUrl: string, via: string | undefined, answer: Answered): Asked {
  const about = { serviceUrl, ...(via !== undefined && { via }) };
  if (!answer.ok) return { ...about, found: 0, problem: answer.problem };
  return { ...about, speakerUri: answer.speakerUri, found: answer.servicing.length + answer.discovery.length };
}

function assertAskable({ text }: Wanted): void {
  if (text.trim() === "") throw new Error("say what is needed: the text of a search is empty");
  if (text.length > textMax) throw new Error(`say it shorter: a search has at most ${textMax} characters`);
}

/** An option given as undefined is an option left out. */
function given(options: DiscoverOptions): Partial<typeof defaults> {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => Object.hasOwn(defaults, name) && value !== undefined),
  );
}

/** Adds what one agent recommends. Whom several recommend is there once, by the best word for it. */
export function merge(found: Map<string, Found>, answer: Answered & { ok: true }, via: string | undefined): void {
  for (const kind of ["servicing", "discovery"] as const) {
    for (const { manifest, reasons } of answer[kind]) {
      const told = via === undefined ? reasons : { words: [], ...reasons, via: reasons?.via ?? via };
      const one: Found = { kind, manifest, ...(told && { reasons: told }) };
      const { speakerUri, serviceUrl } = manifest.identification;
      const key = JSON.stringify([kind, foldUri(speakerUri), foldUri(serviceUrl)]);
      const known = found.get(key);
      found.set(key, known === undefined ? one : better(known, one));
    }
  }
}

/** Where both are alike, whoever was told first. Reasons are not lost with the one that had them. */
function better(known: Found, other: Found): Found {
  const [one, rest] = scoreOf(other) > scoreOf(known) ? [other, known] : [known, other];
  const reasons = one.reasons ?? rest.reasons;
  return { ...one, ...(reasons && { reasons }) };
}

export function ranked(found: ReadonlyMap<string, Found>): Found[] {
  return [...found.values()].sort((one, other) => scoreOf(other) - scoreOf(one));
}

/** Whoever has no score comes after the worst that has one, and whoever only knows others after all. */
function scoreOf({ kind, manifest }: Found): number {
  return (manifest.score ?? -1) - (kind === "discovery" ? 3 : 0);
}
