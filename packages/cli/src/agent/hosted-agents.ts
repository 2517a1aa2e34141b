import type { Manifest } from "@plenary/protocol";
import type { AgentManifest, AskingDialler } from "@plenary/sdk";
import type { HostedAgents } from "@plenary/server";
import { hostedDiscovery } from "./discovery-agent.ts";
import { llmMaker, modelAgentNames } from "./llm-agent.ts";
import type { LlmChoice } from "./llm-settings.ts";

type Wishes = {
  llm?: LlmChoice | undefined;
  /** The floor's way to agents elsewhere, for those of its own who look for others. */
  dialler?: AskingDialler;
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
export async function readyMadeAgents({ llm, dialler, isLocal = true, onError }: Wishes): Promise<Hosted> {
  const { agentNamed, agentNames, createDiscovery } = await import("@plenary/agents");
  const model = llm && (await llmMaker(llm, onError, { isShared: true }));
  const names = model === undefined ? agentNames : [...agentNames, ...modelAgentNames];
  const discovery = hostedDiscovery({
    ...{ create: createDiscovery, isLocal, onError },
    ...(dialler && { dialler }),
    neighbours: (agentsUrl, isOwn) =>
      names.flatMap((name) => {
        const serviceUrl = `${agentsUrl}/${name}`;
        const isModel = modelAgentNames.includes(name);
        if (name === "discovery" || (isModel && !isOwn)) return [];
        const agent = isModel ? model?.make(name, { serviceUrl }) : agentNamed(name, { serviceUrl });
        return agent === undefined ? [] : [manifestAt(agent.manifest, serviceUrl)];
      }),
  });
  return {
    names,
    lend: discovery.lend,
    create(name, serviceUrl, host) {
      if (name === "discovery") return discovery.make(serviceUrl, host);
      const options = { serviceUrl, ...host };
      if (!modelAgentNames.includes(name)) return agentNamed(name, options);
      // Whoever calls from outside would spend what the operator's key pays for.
      return host && model?.make(name, options);
    },
    settle: discovery.close,
    close: async () => model?.close(),
  };
}

function manifestAt({ identification, ...others }: AgentManifest, serviceUrl: string): Manifest {
  return { ...others, identification: { ...identification, serviceUrl } };
}
