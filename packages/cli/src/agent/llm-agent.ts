import type { ReadyMadeOptions } from "@plenary/agents";
import type { Agent } from "@plenary/sdk";
import type { LlmChoice } from "./llm-settings.ts";

/** The agents that need a model. */
export const modelAgentNames: readonly string[] = ["llm", "convener-llm"];

/** Streaming needs many bytes per word. */
const answerBytesMax = 16_777_216;

/**
 * `isShared`: both agents use one configuration; name and instructions are for `llm` only.
 * The configured model may be dialled at any address (D32), and nothing else.
 */
export async function llmMaker(choice: LlmChoice, onError: (error: unknown) => void, { isShared = false } = {}) {
  const [agents, { createDialler }] = await Promise.all([import("@plenary/agents"), import("@plenary/sdk")]);
  const exemptOrigins = [new URL(choice.baseUrl).origin];
  const dialler = createDialler({ mode: "production", exemptOrigins, limits: { answerBytesMax } });
  return {
    /** One of `modelAgentNames`. */
    make(name: string, options: ReadyMadeOptions = {}): Agent {
      const own = { ...options, dialler, onError };
      if (name !== "convener-llm") return agents.createLlm({ ...choice, ...own });
      return agents.createLlmConvener({ ...(isShared ? modelOf(choice) : choice), ...own });
    },
    close: () => dialler.close(),
  };
}

function modelOf({ baseUrl, model, key }: LlmChoice): LlmChoice {
  return { baseUrl, model, ...(key !== undefined && { key }) };
}
