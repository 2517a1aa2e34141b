import type { Agent } from "@plenary/sdk";
import type { ReadyMadeOptions } from "../../identity.ts";
import { type LlmSettings, mindOf } from "../../llm/settings.ts";
import { createConvener } from "../create-convener.ts";
import { queueChair } from "../queue.ts";
import { createAdviser } from "./adviser.ts";
import { type AdvisedChair, withDiscretion } from "./policy.ts";

export type LlmConvenerSettings = Omit<LlmSettings, "policy" | "historyMax" | "timeouts"> & {
  /** How long the model is waited for. A floor waits for ten seconds, and what it has told is old after five. */
  deadlineMs?: number;
};

/** Any model behind an OpenAI-compatible endpoint, as the adviser of a chair that rules without it just as well. */
export function createLlmConvener({
  deadlineMs = 4_000,
  name,
  ...settings
}: LlmConvenerSettings & ReadyMadeOptions): Agent {
  const mind = mindOf(settings);
  const chair: AdvisedChair = {
    ...withDiscretion(queueChair()),
    conversationalName: name ?? "Chair",
    synopsis: `Convenes with a queue of raised hands and the discretion of the language model ${mind.model}.`,
  };
  const adviser = createAdviser(mind, { deadlineMs, nowMs: () => performance.now() });
  return createConvener(chair, {
    ...settings,
    onError: mind.onError,
    async advise(state, matter, sight, signal) {
      const question = chair.wish(state, matter, sight);
      if (question === undefined) return undefined;
      const advice = await adviser({ question, sight, recent: state.recent, answers: state.answers, signal });
      return advice && ((now, about, seen) => chair.ruleBy(advice, now, about, seen));
    },
  });
}
