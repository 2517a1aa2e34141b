import type { ReadyMadeOptions } from "@plenary/agents";
import type { Agent } from "@plenary/sdk";
import type { LlmChoice } from "./llm-settings.ts";

/** Those that need a model, as they are hosted and served. */
export const modelAgentNames: readonly string[] = ["llm", "convener-llm"];

export type LlmMaker = {
  /** One of `modelAgentNames`. */
  make: (name: string, options?: ReadyMadeOptions) => Agent;
  close: () => Promise<void>;
};

/** What streams word by word needs many bytes for each. */
const answerBytesMax = 16_777_216;

/**
 * `isShared`: both are made of one choice, whose name and instructions are for the one that talks.
 * The model of the operator's own configuration is called wherever it is (D32), and nothing else is called for it.
 */
export async function llmMaker(
  choice: LlmChoice,
  onError: (error: unknown) => void,
  { isShared = false } = {},
): Promise<LlmMaker> {
  const [agents, { createDialler }] = await Promise.all([import("@plenary/agents"), import("@plenary/sdk")]);
  const exemptOrigins = [new URL(choice.baseUrl).origin];
  const dialler = createDialler({ mode: "production", exemptOrigins, limits: { answerBytesMax } });
  return {
    make(name, options = {}) {
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
