import type { Discovery, DiscoveryOptions } from "@plenary/agents";
import type { Manifest } from "@plenary/protocol";
import type { Agent, AgentHost, AgentManifest, AskingDialler, TextDialler } from "@plenary/sdk";
import type { HostedAgents, HostedCaller, SharedHostApi } from "@plenary/server";
import { llmMaker, modelAgentNames } from "./llm-agent.ts";
import type { LlmChoice } from "./llm-settings.ts";

type HostedAgentsOptions = {
  llm?: LlmChoice | undefined;
  /** Dials agents elsewhere, for the discovery agent. */
  dialler?: AskingDialler;
  /** Dials texts given by URL. */
  textDialler?: TextDialler;
  /** Every caller is on this machine. */
  isLocal?: boolean;
  onError: (error: unknown) => void;
};

type Hosted = HostedAgents & {
  /** Saves their state; called before the store is closed. */
  settle: () => Promise<void>;
  close: () => Promise<void>;
};

/** The agents a floor hosts, including the model agents when the operator configured a model. */
export async function readyMadeAgents({
  llm,
  dialler,
  textDialler,
  isLocal = true,
  onError,
}: HostedAgentsOptions): Promise<Hosted> {
  const { agentNamed, agentNames, createDiscovery, defaultAgentNames } = await import("@plenary/agents");
  const model = llm && (await llmMaker(llm, onError, { isShared: true }));
  const names = model === undefined ? agentNames : [...agentNames, ...modelAgentNames];
  let unique: string | undefined;
  const placeOf = (serviceUrl: string) => ({ serviceUrl, ...(unique !== undefined && { unique }) });
  const discovery = hostedDiscovery({
    create: createDiscovery,
    isLocal,
    onError,
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
    invitedByDefault: defaultAgentNames,
    shareHostApi: (provided) => {
      unique = provided.mark;
      discovery.provide(provided);
    },
    create(name, serviceUrl, host, caller) {
      const made = (): Agent | undefined => {
        if (name === "discovery") return discovery.make(serviceUrl, host, caller);
        const options = { ...placeOf(serviceUrl), ...host };
        if (!modelAgentNames.includes(name)) return agentNamed(name, options);
        // Callers from outside must not spend the operator's budget.
        return host && model?.make(name, options);
      };
      const agent = made();
      // Texts are not fetched for outside callers: the agent could repeat them to the caller.
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

type HostedDiscoveryOptions = Pick<DiscoveryOptions, "dialler" | "onError"> & {
  create: (options: DiscoveryOptions) => Discovery;
  /** Every calling program is on this machine, so its agents go into the floor's own catalogue. */
  isLocal: boolean;
  /** The floor's other agents, for the floor itself or for outside callers. */
  neighbours: (agentsUrl: string, isOwn: boolean) => DiscoveryOptions["neighbours"];
};

/**
 * One catalogue per floor. Outside callers do not see which agents a public floor knows. Web pages of another origin never
 * see it, and nothing is dialled for them: such a page may be open on the operator's machine.
 */
export function hostedDiscovery({ create, isLocal, neighbours, dialler, onError }: HostedDiscoveryOptions) {
  let provided: SharedHostApi | undefined;
  let own: Discovery | undefined;
  const outside = new Map<HostedCaller, Discovery>();
  const ways = { ...(dialler && { dialler }), ...(onError && { onError }) };
  const optionsFor = (serviceUrl: string, isOwn: boolean): DiscoveryOptions => {
    const beside = neighbours(serviceUrl.slice(0, serviceUrl.lastIndexOf("/")), isOwn);
    const unique = provided?.mark;
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
    /** Takes what the floor provides to all hosted agents, before the first is created. */
    provide(host: SharedHostApi): void {
      provided = host;
    },
    /** `host` is given for requests of this floor itself. */
    make(serviceUrl: string, host?: AgentHost, caller: HostedCaller = "program"): Agent {
      if (host === undefined && (!isLocal || caller === "page")) return forStrangers(serviceUrl, caller);
      own ??= create({ ...optionsFor(serviceUrl, true), ...ways, ...provided });
      return host === undefined ? own.stranger : own;
    },
    /** Call before the store is closed. */
    close: async () => void (await Promise.all([own, ...outside.values()].map((one) => one?.close()))),
  };
}
