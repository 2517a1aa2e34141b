import { type DialogEvent, foldUri, isSameUri, recordOf, type ScoredManifest, type Sender } from "@plenary/protocol";
import {
  type AskedAgent,
  type AskingDialler,
  discover,
  type FoundAgent,
  type SearchParameters,
  searchFeature,
} from "@plenary/sdk";

type ConsultRequest = {
  text: string;
  options: TaskOptions;
  /** The first discovery agents to ask, best known first. */
  peers: readonly string[];
  sender: Sender;
  dialler: AskingDialler;
  signal: AbortSignal;
};

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

export type Consult = ReturnType<typeof createConsult>;

/**
 * Asks other discovery agents, and those that they recommend, each once per search. A second search for the same text asks
 * no agent while the first runs: it may come from an agent of the first search that lost `visited`. Scores are lowered by
 * distance.
 */
export function createConsult(timeoutMs: number) {
  const running = new Set<string>();
  return async ({ text, options, peers, sender, dialler, signal }: ConsultRequest) => {
    const depth = Math.min(options.depthLeft ?? depthDefault, depthMax);
    const key = foldUri(text);
    if (!(depth >= 1) || text === "" || peers.length === 0 || running.has(key) || running.size >= searchesMax)
      return { found: [], asked: [] };
    running.add(key);
    try {
      const { languages, layers } = options;
      const { found, asked } = await discover(
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
          visited: [...options.visited, sender.speakerUri, sender.serviceUrl ?? []].flat(),
        },
      );
      return {
        found: found.map((one) => lowered(one, asked)),
        asked: asked.map(({ serviceUrl, problem }) => ({ serviceUrl, isAnswering: problem === undefined })),
      };
    } finally {
      running.delete(key);
    }
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

export type TaskOptions = SearchParameters & {
  languages: readonly string[];
  layers: readonly string[];
  visited: readonly string[];
};

const textMax = 4_000;
const visitedMax = 500;
const uriMax = 2_048;
const listMax = 16;
const wordMax = 80;

export function taskText(text: string): string {
  return text.trim().slice(0, textMax);
}

/** Input from strangers: invalid parts are ignored. */
export function taskOptionsIn(tasks: readonly DialogEvent[]): TaskOptions {
  const searches = tasks.map(searchIn);
  const listed = (name: "visited" | "languages" | "layers", max: number, lengthMax: number) =>
    searches.flatMap((one) => textsIn(one[name], lengthMax)).slice(0, max);
  const depths = searches.map(({ depthLeft }) => depthLeft).filter((depth) => typeof depth === "number");
  const spoken = tasks.flatMap(({ features }) => textsIn([features.text?.lang], wordMax));
  return {
    visited: listed("visited", visitedMax, uriMax),
    languages: [...new Set([...listed("languages", listMax, wordMax), ...spoken])].slice(0, listMax),
    layers: listed("layers", listMax, wordMax),
    ...(depths.length > 0 && { depthLeft: Math.min(...depths) }),
    ...(searches.some(({ isExplained }) => isExplained === true) && { isExplained: true }),
  };
}

function searchIn({ features }: DialogEvent): Readonly<Record<string, unknown>> {
  const feature = features[searchFeature.name];
  return recordOf(feature?.mimeType === searchFeature.mimeType ? feature.tokens[0]?.value : undefined);
}

function textsIn(value: unknown, lengthMax: number): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.filter((one): one is string => typeof one === "string" && one !== "" && one.length <= lengthMax);
}
