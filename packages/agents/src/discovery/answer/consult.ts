import { foldUri, isSameUri, type ScoredManifest, type Sender } from "@plenary/protocol";
import { type Asked, type AskingDialler, type Discovered, discover, type Found } from "@plenary/sdk";
import type { Wish } from "./task.ts";

export type Consultation = {
  /** Their scores lowered with the distance, each with `via`. */
  found: readonly Found[];
  /** Who was asked, by serviceUrl, and whether it answered. */
  asked: readonly { serviceUrl: string; isAnswering: boolean }[];
};

type Consulting = {
  text: string;
  wish: Wish;
  /** Discovery agents to begin with; the best known first. */
  peers: readonly string[];
  sender: Sender;
  dialler: AskingDialler;
  signal: AbortSignal;
};

const nobody: Consultation = { found: [], asked: [] };
/** For an asker who does not say how far to go. */
const depthDefault = 2;
const depthMax = 3;
const askedMax = 8;
/** At once: each calls others. */
const searchesMax = 16;
const answerBytesMax = 262_144;
const foundMax = 40;
/** Of what others say, for each one it came through. */
const trust = 0.7;
/** Of a recommendation without a score. */
const unscored = 0.5;

export type Consult = (consulting: Consulting) => Promise<Consultation>;

/**
 * Asks other discovery agents, and those they lead to, each once in a search. While the same is being looked for already
 * nobody is asked: one of those who were asked may be asking back, and knows nothing of where the search has been.
 */
export function createConsult(timeoutMs: number): Consult {
  const running = new Set<string>();
  return async ({ text, wish, peers, sender, dialler, signal }: Consulting): Promise<Consultation> => {
    const depth = Math.min(wish.depthLeft ?? depthDefault, depthMax);
    const key = foldUri(text);
    if (!(depth >= 1) || text === "" || peers.length === 0 || running.has(key) || running.size >= searchesMax)
      return nobody;
    running.add(key);
    try {
      const { languages, layers } = wish;
      const discovered = await discover(
        { text, ...(languages.length > 0 && { languages }), ...(layers.length > 0 && { layers }) },
        {
          ...{ ask: peers.slice(0, askedMax), dialler, sender, depthMax: depth - 1, signal },
          ...{ askedMax, timeoutMs, answerBytesMax, foundMax, isEachNamed: true },
          visited: [
            ...wish.visited,
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

function consultationOf({ found, asked }: Discovered): Consultation {
  return {
    found: found.map((one) => lowered(one, asked)),
    asked: asked.map(({ serviceUrl, problem }) => ({ serviceUrl, isAnswering: problem === undefined })),
  };
}

function lowered(one: Found, asked: readonly Asked[]): Found {
  const distance = distanceOf(one.reasons?.via, asked);
  const score = (one.manifest.score ?? unscored) * trust ** distance;
  return { ...one, manifest: { ...one.manifest, score } };
}

/** 1: somebody whom we have asked says so; 2: one of those has it from somebody else, or led to whoever says so. */
function distanceOf(via: string | undefined, asked: readonly Asked[]): number {
  if (via === undefined) return 1;
  let teller = asked.find(({ speakerUri }) => speakerUri !== undefined && isSameUri(speakerUri, via));
  if (teller === undefined) return 2;
  let distance = 1;
  while (teller?.via !== undefined && distance < asked.length) {
    const before: string = teller.via;
    distance += 1;
    teller = asked.find(({ serviceUrl }) => isSameUri(serviceUrl, before));
  }
  return distance;
}

/** A copy that says nothing but what the specification has, and its score. */
export function published({ identification, capabilities }: ScoredManifest, score: number): ScoredManifest {
  return { identification, capabilities, score: Math.round(Math.min(1, Math.max(0, score)) * 1_000) / 1_000 };
}
