import { isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import { type Agent, type AgentManifest, type AskingDialler, createAgent } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import type { DiscoveryContext } from "./answer/candidates.ts";
import { createConsult } from "./answer/consult.ts";
import {
  type AwaitedSpeakers,
  awaitTaskOfInviter,
  greeting,
  recommend,
  recommendAnother,
  replyInWords,
  stopAwaiting,
} from "./answer/reply.ts";
import { type Catalogue, createCatalogue, limitsForStrangers } from "./catalogue/catalogue.ts";
import { createCrawler } from "./crawl/crawler.ts";
import { receiveManifests } from "./crawl/receive-manifests.ts";
import { answerBytesMax, createEnvelopeQuotas, createIntakeLimit } from "./quotas.ts";

export type DiscoveryOptions = ReadyMadeOptions & {
  /** The way to other agents; absent: it only knows manifests that others publish to it. */
  dialler?: AskingDialler;
  /** Addresses of agents to know. */
  agents?: readonly string[];
  /** Addresses of discovery agents to consult, before those that it comes to know. */
  consult?: readonly string[];
  /** The address of the agent to recommend without a task (0.9.3). */
  favorite?: string;
  /** The agents that live in the same process. */
  neighbours?: readonly Manifest[];
  /** Only strangers call it: its catalogue has lower limits. */
  isForStrangers?: boolean;
  /** How long an asker waits for other discovery agents; half as long for agents that were never asked. */
  patienceMs?: number;
  now?: () => number;
  onError?: (error: unknown) => void;
};

export type Discovery = Agent & {
  /** The same catalogue for callers without a verified identity. */
  stranger: Agent;
  /** Stops asking other agents, and saves the catalogue. */
  close(): Promise<void>;
};

/** Keeps a catalogue of agents, asks other discovery agents, and recommends. */
export function createDiscovery(options: DiscoveryOptions = {}): Discovery {
  const manifest = discoveryManifest(options);
  const { now = Date.now, onError = () => {}, consult = [], agents = [], favorite, patienceMs = 3_000 } = options;
  const limits = options.isForStrangers ? limitsForStrangers : {};
  const { speakerUri, serviceUrl, conversationalName: name } = manifest.identification;
  const self = { speakerUri, ...(serviceUrl !== undefined && { serviceUrl }) };
  const crawler = createCrawler({
    ...options,
    self,
    patienceMs: patienceMs / 2,
    agents: [...agents, ...consult, ...(favorite === undefined ? [] : [favorite])],
    catalogue: createCatalogue(options.catalogue, { now, onError, limits }),
  });
  crawler.noteDiscovery(consult);
  const common = {
    crawler,
    peers: consult,
    consult: createConsult(patienceMs),
    ...(options.dialler && { dialler: options.dialler }),
    favorite: () => favoriteOf(crawler.catalogue, options),
  };
  const takeIntake = createIntakeLimit(now);
  const facing = (isSenderSure: boolean) => {
    const quotaOf = createEnvelopeQuotas(answerBytesMax[isSenderSure ? "floor" : "stranger"]);
    const isHost = ({ speakerUri: asker }: Sender) =>
      isSenderSure && options.floorUri !== undefined && isSameUri(asker, options.floorUri());
    const context: DiscoveryContext = { ...common, quotaOf, isHost };
    return createAgent<AwaitedSpeakers>({
      manifest,
      newState: () => new Set(),
      onInvite({ sender, conversation, state }) {
        awaitTaskOfInviter(sender, conversation, state);
        return greeting;
      },
      onManifests: (heard) => recommend(heard, context),
      onManifestsOfAnother: (heard) => recommendAnother(heard, context),
      onUtterance: (heard) => replyInWords(heard, { self, name }, context),
      onOverheard(heard) {
        if (heard.event.eventType === "utterance") stopAwaiting(heard);
        return undefined;
      },
      async onEvent({ event, sender, caller }) {
        const received = { sender, isSenderSure, caller, quota: quotaOf(sender), takeIntake, now: now() };
        if (event.eventType === "publishManifests") await receiveManifests({ event, ...received }, crawler);
        return undefined;
      },
    });
  };
  // A floor that provides knownAgents runs in the same process and vouches for its senders.
  return { ...facing(options.knownAgents !== undefined), stranger: facing(false), close: crawler.close };
}

function discoveryManifest(options: ReadyMadeOptions): AgentManifest {
  return manifestOf(
    {
      name: "discovery",
      conversationalName: "Discovery",
      synopsis: "Finds the agent for what you need.",
      openFloorRoles: { discovery: true },
      keyphrases: ["discovery", "find an agent", "recommend an agent", "which agent", "who can help"],
      descriptions: ["recommends agents for a task, and other discovery agents that may know more"],
    },
    options,
  );
}

/** Agents of the same process, by preference: a model can answer most questions, the guide knows this floor. */
const favorites = ["llm", "guide"];

/** The recommendation without a task; undefined when none is known. */
function favoriteOf(catalogue: Catalogue, { favorite, neighbours = [] }: DiscoveryOptions): Manifest | undefined {
  // Reports of other agents could claim any agent at that address.
  if (favorite !== undefined)
    return catalogue.atService(favorite).find(({ source }) => source !== "reported")?.manifest;
  const [named] = favorites.flatMap((name) =>
    neighbours.filter(({ identification }) => identification.serviceUrl.endsWith(`/agents/${name}`)),
  );
  return named;
}
