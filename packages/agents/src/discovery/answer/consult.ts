import { foldUri, isSameUri, type ScoredManifest, type Sender } from "@plenary/protocol";
import { type AskedAgent, type AskingDialler, type DiscoveryResult, discover, type FoundAgent } from "@plenary/sdk";
import type { TaskOptions } from "./task.ts";

export type Consultation = {
  /** With scores lowered by distance, each with `via`. */
  found: readonly FoundAgent[];
  asked: readonly { serviceUrl: string; isAnswering: boolean }[];
};

type ConsultRequest = {
  text: string;
  options: TaskOptions;
  /** The first discovery agents to ask, best known first. */
  peers: readonly string[];
  sender: Sender;
  dialler: AskingDialler;
  signal: AbortSignal;
};

const emptyConsultation: Consultation = { found: [], asked: [] };
/** For an asker without `depthLeft`. */
const depthDefault = 2;
const depthMax = 3;
const askedMax = 8;
/** Concurrent searches: each one calls other agents. */
const searchesMax = 16;
const answerBytesMax = 262_144;
const foundMax = 40;
/** Factor of the score, per agent on the way. */
const trust = 0.7;
/** For a recommendation without a score. */
const unscored = 0.5;

export type Consult = (consulting: ConsultRequest) => Promise<Consultation>;

/**
 * Asks other discovery agents, and those that they recommend, each once per search. A second search for the same text asks
 * no agent while the first runs: it may come from an agent of the first search that lost `visited`.
 */
export function createConsult(timeoutMs: number): Consult {
  const running = new Set<string>();
  return async ({ text, options, peers, sender, dialler, signal }: ConsultRequest): Promise<Consultation> => {
    const depth = Math.min(options.depthLeft ?? depthDefault, depthMax);
    const key = foldUri(text);
    if (!(depth >= 1) || text === "" || peers.length === 0 || running.has(key) || running.size >= searchesMax)
      return emptyConsultation;
    running.add(key);
    try {
      const { languages, layers } = options;
      const discovered = await discover(
        { text, ...(languages.length > 0 && { languages }), ...(layers.length > 0 && { layers }) },
        {
          ask: peers.slice(0, askedMax),
          dialler,
          sender,
          depthMax: depth - 1,
          signal,
          askedMax,
          timeoutMs,
          answerBytesMax,
          foundMax,
          isEachNamed: true,
          visited: [
            ...options.visited,
            sender.speakerUri,
            ...(sender.serviceUrl === undefined ? [] : [sender.serviceUrl]),
          ],
        },
      );
      return consultationOf(discovered);
    } finally {
      running.delete(key);
    }
  };
}

function consultationOf({ found, asked }: DiscoveryResult): Consultation {
  return {
    found: found.map((one) => lowered(one, asked)),
    asked: asked.map(({ serviceUrl, problem }) => ({ serviceUrl, isAnswering: problem === undefined })),
  };
}

function lowered(one: FoundAgent, asked: readonly AskedAgent[]): FoundAgent {
  const distance = distanceOf(one.reasons?.via, asked);
  const score = (one.manifest.score ?? unscored) * trust ** distance;
  return { ...one, manifest: { ...one.manifest, score } };
}

/** 1: an agent that we asked first knows it itself; 2 and more: it has it from another agent, or was found through one. */
function distanceOf(via: string | undefined, asked: readonly AskedAgent[]): number {
  if (via === undefined) return 1;
  let reporter = asked.find(({ speakerUri }) => speakerUri !== undefined && isSameUri(speakerUri, via));
  if (reporter === undefined) return 2;
  let distance = 1;
  while (reporter?.via !== undefined && distance < asked.length) {
    const before: string = reporter.via;
    distance += 1;
    reporter = asked.find(({ serviceUrl }) => isSameUri(serviceUrl, before));
  }
  return distance;
}

/** A copy with the fields of the specification and the score. */
export function withScore({ identification, capabilities }: ScoredManifest, score: number): ScoredManifest {
  return { identification, capabilities, score: Math.round(Math.min(1, Math.max(0, score)) * 1_000) / 1_000 };
}
