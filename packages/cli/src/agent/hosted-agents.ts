import type { Manifest } from "@plenary/protocol";
import type { Agent, AgentManifest, AskingDialler, TextDialler } from "@plenary/sdk";
import type { HostedAgents, LentToAll } from "@plenary/server";
import { hostedDiscovery } from "./discovery-agent.ts";
import { llmMaker, modelAgentNames } from "./llm-agent.ts";
import type { LlmChoice } from "./llm-settings.ts";

type Wishes = {
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
export async function readyMadeAgents({ llm, dialler, textDialler, isLocal = true, onError }: Wishes): Promise<Hosted> {
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
