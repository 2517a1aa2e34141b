import type { Discovery, DiscoveryOptions } from "@plenary/agents";
import type { Manifest } from "@plenary/protocol";
import type { Agent, AgentHost, AgentManifest, AskingDialler, TextDialler } from "@plenary/sdk";
import type { HostedAgents, HostedCaller, LentToAll } from "@plenary/server";
import { llmMaker, modelAgentNames } from "./llm-agent.ts";
import type { LlmChoice } from "./llm-settings.ts";

type HostedAgentsOptions = {
  llm?: LlmChoice | undefined;
  /** The floor's way to agents elsewhere, for those of its own who look for others. */
  dialler?: AskingDialler;
  /** The way to words that are given by URL, in conversations of this floor. */
  textDialler?: TextDialler;
  /** Whoever calls is at this machine. */
  isLocal?: boolean;
  onError: (error: unknown) => void;
};

type Hosted = HostedAgents & {
  /** Writes down what they know; before the store is closed. */
  settle: () => Promise<void>;
  close: () => Promise<void>;
};

/** The agents that a floor has of its own; a model among them when the operator names one. */
export async function readyMadeAgents({
  llm,
  dialler,
  textDialler,
  isLocal = true,
  onError,
}: HostedAgentsOptions): Promise<Hosted> {
  const { agentNamed, agentNames, createDiscovery } = await import("@plenary/agents");
  const model = llm && (await llmMaker(llm, onError, { isShared: true }));
  const names = model === undefined ? agentNames : [...agentNames, ...modelAgentNames];
  let markOf: LentToAll["mark"] = () => undefined;
  const placeOf = (serviceUrl: string) => {
    const unique = markOf();
    return { serviceUrl, ...(unique !== undefined && { unique }) };
  };
  const discovery = hostedDiscovery({
    ...{ create: createDiscovery, isLocal, onError },
    ...(dialler && { dialler }),
    neighbours: (agentsUrl, isOwn) =>
      names.flatMap((name) => {
        const serviceUrl = `${agentsUrl}/${name}`;
        const isModel = modelAgentNames.includes(name);
        if (name === "discovery" || (isModel && !isOwn)) return [];
        const place = placeOf(serviceUrl);
        const agent = isModel ? model?.make(name, place) : agentNamed(name, place);
        return agent === undefined ? [] : [manifestAt(agent.manifest, serviceUrl)];
      }),
  });
  return {
    names,
    lend: (lent) => {
      markOf = lent.mark;
      discovery.lend(lent);
    },
    create(name, serviceUrl, host, caller) {
      const made = (): Agent | undefined => {
        if (name === "discovery") return discovery.make(serviceUrl, host, caller);
        const options = { ...placeOf(serviceUrl), ...host };
        if (!modelAgentNames.includes(name)) return agentNamed(name, options);
        // Callers from outside would spend what the operator's key pays for.
        return host && model?.make(name, options);
      };
      const agent = made();
      // Nothing is fetched for callers from outside: they could have it repeated to them.
      if (agent === undefined || host === undefined || textDialler === undefined) return agent;
      return { manifest: agent.manifest, fetch: (request) => agent.fetch(request, { textDialler }) };
    },
    settle: discovery.close,
    close: async () => model?.close(),
  };
}

function manifestAt({ identification, ...others }: AgentManifest, serviceUrl: string): Manifest {
  return { ...others, identification: { ...identification, serviceUrl } };
}

export type HostedDiscovery = {
  /** What the floor lends to all of its agents, before the first is made. */
  lend: (lent: LentToAll) => void;
  /** `host` for whatever this floor itself sends. */
  make: (serviceUrl: string, host?: AgentHost, caller?: HostedCaller) => Agent;
  /** Before the store is closed. */
  close: () => Promise<void>;
};

type HostedDiscoveryOptions = Pick<DiscoveryOptions, "dialler" | "onError"> & {
  create: (options: DiscoveryOptions) => Discovery;
  /** Every program that calls is at this machine: what it tells is kept with what the floor knows. */
  isLocal: boolean;
  /** The other agents of the floor, for itself or for whoever calls from outside. */
  neighbours: (agentsUrl: string, isOwn: boolean) => DiscoveryOptions["neighbours"];
};

/**
 * One catalogue for a floor. A caller from outside does not learn which agents a public floor has met. A web page of another
 * origin does not learn it at any floor, and nothing is dialled for it: it may be open on the machine of the operator.
 */
export function hostedDiscovery({
  create,
  isLocal,
  neighbours,
  dialler,
  onError,
}: HostedDiscoveryOptions): HostedDiscovery {
  let lent: LentToAll | undefined;
  let own: Discovery | undefined;
  const outside = new Map<HostedCaller, Discovery>();
  const ways = { ...(dialler && { dialler }), ...(onError && { onError }) };
  const optionsFor = (serviceUrl: string, isOwn: boolean): DiscoveryOptions => {
    const beside = neighbours(serviceUrl.slice(0, serviceUrl.lastIndexOf("/")), isOwn);
    const unique = lent?.mark();
    return { serviceUrl, ...(unique && { unique }), ...(beside && { neighbours: beside }) };
  };
  const forStrangers = (serviceUrl: string, caller: HostedCaller): Agent => {
    const known = outside.get(caller);
    if (known !== undefined) return known.stranger;
    const options = { ...optionsFor(serviceUrl, false), isForStrangers: true };
    const made = create(caller === "page" ? options : { ...options, ...ways });
    outside.set(caller, made);
    return made.stranger;
  };
  return {
    lend: (host) => {
      lent = host;
    },
    make(serviceUrl, host, caller = "program") {
      if (host === undefined && (!isLocal || caller === "page")) return forStrangers(serviceUrl, caller);
      own ??= create({ ...optionsFor(serviceUrl, true), ...ways, ...lent });
      return host === undefined ? own.stranger : own;
    },
    close: async () => void (await Promise.all([own, ...outside.values()].map((one) => one?.close()))),
  };
}
