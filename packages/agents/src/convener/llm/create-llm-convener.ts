import type { Agent } from "@plenary/sdk";
import type { ReadyMadeOptions } from "../../identity.ts";
import { type LlmSettings, llmConfigOf } from "../../llm/settings.ts";
import { createConvener } from "../create-convener.ts";
import { queuePolicy } from "../queue-policy.ts";
import { createAdviser } from "./adviser.ts";
import { createLlmPolicy, type LlmConvenerPolicy } from "./policy.ts";

export type LlmConvenerSettings = Omit<LlmSettings, "policy" | "historyMax" | "timeouts"> & {
  /** How long to wait for the model. A floor waits ten seconds, and its envelopes count as stale after five. */
  deadlineMs?: number;
};

/** A model behind an OpenAI-compatible endpoint advises the queue policy, which rules alone when the model fails. */
export function createLlmConvener({
  deadlineMs = 4_000,
  name,
  ...settings
}: LlmConvenerSettings & ReadyMadeOptions): Agent {
  const mind = llmConfigOf(settings);
  const policy: LlmConvenerPolicy = {
    ...createLlmPolicy(queuePolicy()),
    conversationalName: name ?? "Chair",
    synopsis: `Convenes with a queue of raised hands; the language model ${mind.model} helps to decide.`,
  };
  const adviser = createAdviser(mind, { deadlineMs, nowMs: () => performance.now() });
  return createConvener(policy, {
    ...settings,
    onError: mind.onError,
    async advise(state, input, view, signal) {
      const question = policy.questionFor(state, input, view);
      if (question === undefined) return undefined;
      const advice = await adviser({ question, view, recent: state.recent, modelAnswers: state.modelAnswers, signal });
      return advice && ((now, about, seen) => policy.ruleWith(advice, now, about, seen));
    },
  });
}
