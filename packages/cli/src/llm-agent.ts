import type { ReadyMadeOptions } from "@plenary/agents";
import type { Agent } from "@plenary/sdk";
import type { LlmChoice } from "./llm-settings.ts";

export type LlmMaker = { make: (options?: ReadyMadeOptions) => Agent; close: () => Promise<void> };

/** What streams word by word needs many bytes for each. */
const answerBytesMax = 16_777_216;

/** The model of the operator's own configuration is called wherever it is (D32), and nothing else is called for it. */
export async function llmMaker(choice: LlmChoice, onError: (error: unknown) => void): Promise<LlmMaker> {
  const [{ createLlm }, { createDialler }] = await Promise.all([import("@plenary/agents"), import("@plenary/sdk")]);
  const exemptOrigins = [new URL(choice.baseUrl).origin];
  const dialler = createDialler({ mode: "production", exemptOrigins, limits: { answerBytesMax } });
  return {
    make: (options = {}) => createLlm({ ...choice, ...options, dialler, onError }),
    close: () => dialler.close(),
  };
}
