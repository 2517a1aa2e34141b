import type { HostedAgents } from "@plenary/server";
import { llmMaker } from "./llm-agent.ts";
import type { LlmChoice } from "./llm-settings.ts";

type Wishes = { llm?: LlmChoice | undefined; onError: (error: unknown) => void };

/** The agents that a floor has of its own; a model among them when the operator names one. */
export async function readyMadeAgents({
  llm,
  onError,
}: Wishes): Promise<HostedAgents & { close: () => Promise<void> }> {
  const { agentNamed, agentNames } = await import("@plenary/agents");
  const model = llm && (await llmMaker(llm, onError));
  return {
    names: model === undefined ? agentNames : [...agentNames, "llm"],
    create(name, serviceUrl, recall) {
      const options = { serviceUrl, ...(recall && { recall }) };
      if (name !== "llm") return agentNamed(name, options);
      // Whoever calls from outside has no recall, and would spend what the operator's key pays for.
      return recall && model?.make(options);
    },
    close: async () => model?.close(),
  };
}
