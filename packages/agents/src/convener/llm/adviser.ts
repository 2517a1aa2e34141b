import { complete } from "../../llm/completion.ts";
import { ModelError } from "../../llm/model-error.ts";
import type { LlmConfig } from "../../llm/settings.ts";
import { orTimeout } from "../../llm/stream-answer.ts";
import type { FloorView } from "../policy.ts";
import { afterFailure, type BackoffState, mayAsk, noBackoff } from "./backoff.ts";
import { answerCharsMax, type Choice, parseChoice } from "./choice.ts";
import type { Advice } from "./policy.ts";
import { type ModelQuestion, modelQuestionFor, type RecentUtterance } from "./prompt.ts";
import type { Question } from "./question.ts";

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
export type Adviser = (request: AdviceRequest) => Promise<Advice | undefined>;

type AdviserOptions = { deadlineMs: number; nowMs: () => number };

/** The model's share of the deadline. */
const modelShare = 0.9;

export function createAdviser(settings: LlmConfig, { deadlineMs, nowMs }: AdviserOptions): Adviser {
  const model: Model = { settings, endpoint: { backoff: noBackoff }, nowMs };
  return async ({ question, view, recent, modelAnswers, signal }) => {
    const mark = `----- ${crypto.randomUUID()}`;
    const asked = modelQuestionFor({ question, view, recent, instructions: settings.instructions, mark });
    const late = new AbortController();
    const timeMs = Math.round(deadlineMs * modelShare);
    try {
      const answer = askModel(asked, model, {
        modelAnswers,
        timeMs,
        signal: AbortSignal.any([signal, late.signal]),
      });
      const choice = await orTimeout(answer, deadlineMs);
      return choice && { question, choice, speakerUri: asked.speakerOf(choice.choice) };
    } finally {
      late.abort();
    }
  };
}

type Model = { settings: LlmConfig; endpoint: BackoffState; nowMs: () => number };

type AskOptions = { modelAnswers: BackoffState; timeMs: number; signal: AbortSignal };

/** Never rejects; undefined without a valid choice. */
async function askModel(
  { messages, choices }: ModelQuestion,
  { settings, endpoint, nowMs }: Model,
  { modelAnswers, timeMs, signal }: AskOptions,
): Promise<Choice | undefined> {
  if (timeMs <= 0 || [endpoint, modelAnswers].some(({ backoff }) => !mayAsk(backoff, nowMs()))) return undefined;
  const timeouts = { ...settings.timeouts, firstByteMs: timeMs, silenceMs: timeMs, totalMs: timeMs, retryMs: 0 };
  const answer = await textFrom(complete({ ...settings, timeouts }, messages, signal), signal);
  if (answer instanceof ModelError) {
    endpoint.backoff = afterFailure(endpoint.backoff, nowMs(), answer.retryAfterMs);
    settings.onError(answer);
    return undefined;
  }
  if (answer === undefined) return undefined;
  endpoint.backoff = noBackoff;
  const choice = parseChoice(answer, choices);
  modelAnswers.backoff = choice === undefined ? afterFailure(modelAnswers.backoff, nowMs()) : noBackoff;
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
