import { isSameUri, type Manifest, type Sender } from "@plenary/protocol";
import { type Agent, type AgentManifest, type AskingDialler, createAgent } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import type { Mind } from "./answer/candidates.ts";
import { createConsult } from "./answer/consult.ts";
import { recommend, recommendAnother } from "./answer/recommend.ts";
import { answerInWords, greeting, type Listening, listenToInviter, stopListening } from "./answer/reply.ts";
import { createCatalogue, limitsForStrangers } from "./catalogue/catalogue.ts";
import { createCrawl } from "./crawl/crawler.ts";
import { hear } from "./crawl/receive-manifests.ts";
import { favoriteOf } from "./favorite.ts";
import { answerBytesMax, createAllowances, createIntake } from "./quotas.ts";

export type DiscoveryOptions = ReadyMadeOptions & {
  /** The only way to other agents; absent, it knows what it is told. */
  dialler?: AskingDialler;
  /** Addresses of agents to know. */
  agents?: readonly string[];
  /** Addresses of discovery agents to consult, before those that it comes to know. */
  consult?: readonly string[];
  /** The address of whom to propose to somebody who says nothing of a task (0.9.3). */
  favorite?: string;
  /** The agents that live in the same process. */
  neighbours?: readonly Manifest[];
  /** Nobody but strangers calls it: it keeps less of what it is told. */
  isForStrangers?: boolean;
  /** How long whoever asks waits for other discovery agents; half as long for agents that were never asked. */
  patienceMs?: number;
  now?: () => number;
  onError?: (error: unknown) => void;
};

export type Discovery = Agent & {
  /** The same knowledge for callers whose names nobody has checked. */
  stranger: Agent;
  /** Asks nobody any more, and writes down what it has learned. */
  close(): Promise<void>;
};

/** Knows who can do what, asks others who may know better, and recommends. */
export function createDiscovery(options: DiscoveryOptions = {}): Discovery {
  const manifest = discoveryManifest(options);
  const {
    now = Date.now,
    onError = () => {},
    consult = [],
    agents = [],
    favorite,
    patienceMs = 3_000,
    isForStrangers,
  } = options;
  const { speakerUri, serviceUrl, conversationalName: name } = manifest.identification;
  const self = { speakerUri, ...(serviceUrl !== undefined && { serviceUrl }) };
  const crawl = createCrawl({
    ...{ ...options, self, patienceMs: patienceMs / 2 },
    agents: [...agents, ...consult, ...(favorite === undefined ? [] : [favorite])],
    catalogue: createCatalogue(options.catalogue, {
      now,
      onError,
      ...(isForStrangers && { limits: limitsForStrangers }),
    }),
  });
  crawl.noteDiscovery(consult);
  const common = {
    ...{ crawl, peers: consult, consult: createConsult(patienceMs) },
    ...(options.dialler && { dialler: options.dialler }),
    favorite: () => favoriteOf(crawl.catalogue, options),
  };
  const takeIntake = createIntake(now);
  const facing = (isSenderSure: boolean) => {
    const allowanceOf = createAllowances(answerBytesMax[isSenderSure ? "floor" : "stranger"]);
    const isHost = ({ speakerUri: asker }: Sender) =>
      isSenderSure && options.floorUri !== undefined && isSameUri(asker, options.floorUri());
    const mind: Mind = { ...common, allowanceOf, isHost };
    return createAgent<Listening>({
      manifest,
      newState: () => new Set(),
      onInvite({ sender, conversation, state }) {
        listenToInviter(sender, conversation, state);
        return greeting;
      },
      onManifests: (heard) => recommend(heard, mind),
      onManifestsOfAnother: (heard) => recommendAnother(heard, mind),
      onUtterance: (heard) => answerInWords(heard, { self, name }, mind),
      onOverheard(heard) {
        if (heard.event.eventType === "utterance") stopListening(heard);
        return undefined;
      },
      async onEvent({ event, sender, caller }) {
        const allowance = allowanceOf(sender);
        const telling = { sender, isSenderSure, caller, allowance, takeIntake, now: now() };
        if (event.eventType === "publishManifests") await hear({ event, ...telling }, crawl);
        return undefined;
      },
    });
  };
  // A floor that lends something has it in its own process, and says for whom it speaks.
  return { ...facing(options.acquaintances !== undefined), stranger: facing(false), close: crawl.close };
}

function discoveryManifest(options: ReadyMadeOptions): AgentManifest {
  return manifestOf(
    {
      name: "discovery",
      conversationalName: "Discovery",
      synopsis: "Finds the agent for what you need.",
      openFloorRoles: { discovery: true },
      capabilities: [
        {
          keyphrases: ["discovery", "find an agent", "recommend an agent", "which agent", "who can help"],
          descriptions: ["recommends agents for a task, and other discovery agents that may know more"],
          supportedLayers: { input: ["text"], output: ["text"] },
        },
      ],
    },
    options,
  );
}
