import { foldUri, type Sender } from "@plenary/protocol";
import type { AskingDialler } from "../ask-agent.ts";
import { askDiscoveryAgent, type DiscoveryAnswer, type DiscoveryQuery } from "./ask-discovery-agent.ts";
import type { FoundAgent } from "./recommendation.ts";

export type DiscoverOptions = {
  /** The serviceUrls of the first discovery agents. */
  ask: readonly string[];
  dialler: AskingDialler;
  /** The sender of the requests. Default: a random URN. */
  sender?: Sender;
  /** `via` also names the first discovery agents. Default: only those they lead to. */
  isEachNamed?: boolean;
  /** speakerUris and serviceUrls of agents that are not asked, such as the asker itself. */
  visited?: readonly string[];
  /** Maximum length of a chain of recommended discovery agents. Default: 3. */
  depthMax?: number;
  /** Maximum number of asked agents. Default: 16. */
  askedMax?: number;
  /** For the whole search. Default: 10,000. */
  timeoutMs?: number;
  /** For each asked agent. Default: 5,000. */
  answerMs?: number;
  /** Per answer. Default: 1 MiB. */
  answerBytesMax?: number;
  /** Default: 100. */
  foundMax?: number;
  signal?: AbortSignal;
};

/** An asked discovery agent and the outcome. */
export type AskedAgent = {
  serviceUrl: string;
  /** The sender of its answer. */
  speakerUri?: string;
  /** The serviceUrl of the agent that recommended it. */
  via?: string;
  /** The number of its recommendations, discovery agents included. */
  found: number;
  /** Why it gave no usable answer. */
  problem?: string;
};

export type DiscoveryResult = {
  /** Ordered by score, then agents without a score, then discovery agents that were not asked. */
  found: FoundAgent[];
  asked: AskedAgent[];
  /** The number of recommended discovery agents that were not asked because of a limit. */
  unasked: number;
};

const textMax = 4_000;
const defaults = {
  depthMax: 3,
  askedMax: 16,
  foundMax: 100,
  timeoutMs: 10_000,
  answerMs: 5_000,
  answerBytesMax: 1_048_576,
};

/**
 * Spec 1.17 and 1.18: asks discovery agents for agents that can do a task, then the discovery agents that they recommend,
 * each once. A failure of one agent is reported in `asked` and does not stop the search.
 */
export async function discover(wanted: DiscoveryQuery, options: DiscoverOptions): Promise<DiscoveryResult> {
  assertAskable(wanted);
  const over = new AbortController();
  const end = () => over.abort();
  const search = new DiscoverySearch(wanted, { ...options, ...defaults, ...given(options), signal: over.signal });
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

type SearchLead = { serviceUrl: string; speakerUri?: string; via?: string; depth: number };
type SearchOptions = Omit<DiscoverOptions, "signal"> & typeof defaults & { signal: AbortSignal };

/** A search over discovery agents. Each answer is followed at once, without waiting for slower agents. */
class DiscoverySearch {
  readonly #wanted: DiscoveryQuery;
  readonly #options: SearchOptions;
  /** By speakerUri and by serviceUrl. */
  readonly #visited: Set<string>;
  readonly #skipped = new Set<string>();
  readonly #asked: AskedAgent[] = [];
  readonly #found = new Map<string, FoundAgent>();
  #begun = 0;

  constructor(wanted: DiscoveryQuery, options: SearchOptions) {
    this.#wanted = wanted;
    this.#options = options;
    this.#visited = new Set((options.visited ?? []).map(foldUri));
  }

  async follow(leads: readonly SearchLead[]): Promise<void> {
    await Promise.all(leads.filter((lead) => this.#isFresh(lead)).map((lead) => this.#visit(lead)));
  }

  result(): DiscoveryResult {
    const unasked = [...this.#skipped].filter((serviceUrl) => !this.#visited.has(serviceUrl)).length;
    // The recommendations of an asked discovery agent are already in the list.
    const found = ranked(this.#found).filter(({ kind, manifest: { identification } }) => {
      return kind === "servicing" || !this.#visited.has(foldUri(identification.serviceUrl));
    });
    return { found: found.slice(0, this.#options.foundMax), asked: this.#asked, unasked };
  }

  async #visit({ serviceUrl, via, depth }: SearchLead): Promise<void> {
    const answer = await askDiscoveryAgent(serviceUrl, {
      ...this.#wanted,
      ...this.#options,
      // One signal per request: Node warns of a leak when one signal has many listeners.
      signal: AbortSignal.any([this.#options.signal]),
      visited: [...this.#visited].slice(0, visitedMax),
    });
    this.#asked.push(askedEntry(serviceUrl, via, answer));
    if (!answer.ok) return;
    // Another agent may recommend it by the speakerUri of its answer.
    this.#visited.add(foldUri(answer.speakerUri));
    const isNamed = depth > 0 || this.#options.isEachNamed === true;
    mergeFound(this.#found, answer, isNamed ? answer.speakerUri : undefined);
    await this.follow(
      answer.discovery.map(({ manifest }) => {
        const { serviceUrl: next, speakerUri } = manifest.identification;
        return { serviceUrl: next, speakerUri, via: serviceUrl, depth: depth + 1 };
      }),
    );
  }

  /** Whether the agent is to be asked. An agent that was asked, by either name, is not asked again. */
  #isFresh({ serviceUrl, speakerUri = serviceUrl, depth }: SearchLead): boolean {
    const names = [foldUri(serviceUrl), foldUri(speakerUri)];
    if (names.some((name) => this.#visited.has(name))) return false;
    const { depthMax, askedMax, signal } = this.#options;
    if (depth > depthMax || this.#begun >= askedMax || signal.aborted) {
      this.#skipped.add(foldUri(serviceUrl));
      return false;
    }
    this.#begun += 1;
    for (const name of names) this.#visited.add(name);
    return true;
  }
}

const visitedMax = 64;

function askedEntry(serviceUrl: string, via: string | undefined, answer: DiscoveryAnswer): AskedAgent {
  const about = { serviceUrl, ...(via !== undefined && { via }) };
  if (!answer.ok) return { ...about, found: 0, problem: answer.problem };
  return { ...about, speakerUri: answer.speakerUri, found: answer.servicing.length + answer.discovery.length };
}

function assertAskable({ text }: DiscoveryQuery): void {
  if (text.trim() === "") throw new Error("the search text is empty: describe the task");
  if (text.length > textMax) throw new Error(`the search text has more than ${textMax} characters: shorten it`);
}

/** An option set to undefined counts as left out. */
function given(options: DiscoverOptions): Partial<typeof defaults> {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => Object.hasOwn(defaults, name) && value !== undefined),
  );
}

/** Adds the recommendations of one agent. An agent that several recommend appears once, with the highest score. */
function mergeFound(
  found: Map<string, FoundAgent>,
  answer: DiscoveryAnswer & { ok: true },
  via: string | undefined,
): void {
  for (const kind of ["servicing", "discovery"] as const) {
    for (const { manifest, reasons } of answer[kind]) {
      const withVia = via === undefined ? reasons : { words: [], ...reasons, via: reasons?.via ?? via };
      const one: FoundAgent = { kind, manifest, ...(withVia && { reasons: withVia }) };
      const { speakerUri, serviceUrl } = manifest.identification;
      const key = JSON.stringify([kind, foldUri(speakerUri), foldUri(serviceUrl)]);
      const known = found.get(key);
      found.set(key, known === undefined ? one : better(known, one));
    }
  }
}

/** With equal scores the first one wins. Reasons are kept from either one. */
function better(known: FoundAgent, other: FoundAgent): FoundAgent {
  const [one, rest] = scoreOf(other) > scoreOf(known) ? [other, known] : [known, other];
  const reasons = one.reasons ?? rest.reasons;
  return { ...one, ...(reasons && { reasons }) };
}

function ranked(found: ReadonlyMap<string, FoundAgent>): FoundAgent[] {
  return [...found.values()].sort((one, other) => scoreOf(other) - scoreOf(one));
}

/** An agent without a score ranks below the lowest score, and a discovery agent below all servicing agents. */
function scoreOf({ kind, manifest }: FoundAgent): number {
  return (manifest.score ?? -1) - (kind === "discovery" ? 3 : 0);
}
