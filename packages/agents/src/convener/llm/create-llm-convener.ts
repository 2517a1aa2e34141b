import type { Agent } from "@plenary/sdk";
import type { ReadyMadeOptions } from "../../identity.ts";
import { ModelError } from "../../llm/answer-parts.ts";
import { complete } from "../../llm/completion.ts";
import { type LlmConfig, type LlmSettings, llmConfigOf } from "../../llm/settings.ts";
import { orTimeout } from "../../llm/stream-answer.ts";
import { createConvener } from "../create-convener.ts";
import type { FloorView } from "../policy.ts";
import { queuePolicy } from "../queue-policy.ts";
import {
  type Advice,
  afterFailure,
  type BackoffState,
  createLlmPolicy,
  type LlmConvenerPolicy,
  mayAsk,
  noBackoff,
} from "./policy.ts";
import {
  answerCharsMax,
  type Choice,
  type ModelQuestion,
  modelQuestionFor,
  parseChoice,
  type Question,
  type RecentUtterance,
} from "./prompt.ts";

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
  const adviser = createAdviser(mind, deadlineMs);
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

type AdviceRequest = {
  question: Question;
  view: FloorView;
  /** Public utterances, oldest first. */
  recent: readonly RecentUtterance[];
  /** Per conversation: participants who confuse the model in one conversation do not affect others. */
  modelAnswers: BackoffState;
  signal: AbortSignal;
};

/** Undefined when the model gives no usable answer before the deadline: then the policy rules alone. */
type Adviser = (request: AdviceRequest) => Promise<Advice | undefined>;

/** The model's share of the deadline. */
const modelShare = 0.9;

function createAdviser(settings: LlmConfig, deadlineMs: number): Adviser {
  const endpoint: BackoffState = { backoff: noBackoff };
  return async ({ question, view, recent, modelAnswers, signal }) => {
    const mark = `----- ${crypto.randomUUID()}`;
    const asked = modelQuestionFor({ question, view, recent, instructions: settings.instructions, mark });
    const late = new AbortController();
    const timeMs = Math.round(deadlineMs * modelShare);
    try {
      const asking = { endpoint, modelAnswers, timeMs, signal: AbortSignal.any([signal, late.signal]) };
      const answer = askModel(asked, settings, asking);
      const choice = await orTimeout(answer, deadlineMs);
      return choice && { question, choice, speakerUri: asked.speakerOf(choice.choice) };
    } finally {
      late.abort();
    }
  };
}

type AskOptions = { endpoint: BackoffState; modelAnswers: BackoffState; timeMs: number; signal: AbortSignal };

/** Never rejects; undefined without a valid choice. */
async function askModel(
  { messages, choices }: ModelQuestion,
  settings: LlmConfig,
  { endpoint, modelAnswers, timeMs, signal }: AskOptions,
): Promise<Choice | undefined> {
  if (timeMs <= 0 || [endpoint, modelAnswers].some(({ backoff }) => !mayAsk(backoff, performance.now())))
    return undefined;
  const timeouts = { ...settings.timeouts, firstByteMs: timeMs, silenceMs: timeMs, totalMs: timeMs, retryMs: 0 };
  const answer = await textFrom(complete({ ...settings, timeouts }, messages, signal), signal);
  if (answer instanceof ModelError) {
    endpoint.backoff = afterFailure(endpoint.backoff, performance.now(), answer.retryAfterMs);
    settings.onError(answer);
    return undefined;
  }
  if (answer === undefined) return undefined;
  endpoint.backoff = noBackoff;
  const choice = parseChoice(answer, choices);
  modelAnswers.backoff = choice === undefined ? afterFailure(modelAnswers.backoff, performance.now()) : noBackoff;
  if (choice === undefined) settings.onError(new ModelError("garbled", "the model chose none of the offered choices"));
  return choice;
}

/** The whole answer; undefined when the caller has aborted. */
async function textFrom(
  parts: ReturnType<typeof complete>,
  signal: AbortSignal,
): Promise<string | ModelError | undefined> {
  let text = "";
  try {
    for await (const part of parts) {
      if (part.kind === "failed") return part.error;
      if (part.kind === "complete") return text;
      // A truncated answer is no decision.
      if (part.kind !== "text") return "";
      text += part.text;
      if (text.length > answerCharsMax) return text;
    }
    return text;
  } catch (cause) {
    return signal.aborted ? undefined : new ModelError("failed", "asking the model failed", { cause });
  }
}
