import { complete } from "../../llm/completion.ts";
import { ModelError } from "../../llm/model-error.ts";
import type { Mind } from "../../llm/settings.ts";
import { afterFailure, mayAsk, type Patience, patient } from "./backoff.ts";
import { answerCharsMax, type Choice, parseChoice } from "./choice.ts";
import type { Asking } from "./prompt.ts";

/** Who is relied on, and how far: the endpoint by all conversations, the sense of its answers by one alone. */
export type Reliance = { patience: Patience };

export type Counsellor = {
  mind: Mind;
  endpoint: Reliance;
  nowMs: () => number;
};

type Occasion = {
  /** In this conversation: whoever talks a model out of its mind does so nowhere else. */
  answers: Reliance;
  timeMs: number;
  signal: AbortSignal;
};

/** What the model chooses; undefined, in time and whatever happens, when it does not. */
export async function counsel(
  { messages, choices }: Asking,
  { mind, endpoint, nowMs }: Counsellor,
  { answers, timeMs, signal }: Occasion,
): Promise<Choice | undefined> {
  if (timeMs <= 0 || [endpoint, answers].some(({ patience }) => !mayAsk(patience, nowMs()))) return undefined;
  const timeouts = { ...mind.timeouts, firstByteMs: timeMs, silenceMs: timeMs, totalMs: timeMs, retryMs: 0 };
  const said = await wordsOf(complete({ ...mind, timeouts }, messages, signal), signal);
  if (said instanceof ModelError) {
    endpoint.patience = afterFailure(endpoint.patience, nowMs(), said.retryAfterMs);
    mind.onError(said);
    return undefined;
  }
  if (said === undefined) return undefined;
  endpoint.patience = patient;
  const choice = parseChoice(said, choices);
  answers.patience = choice === undefined ? afterFailure(answers.patience, nowMs()) : patient;
  if (choice === undefined) mind.onError(new ModelError("garbled", "the model chose nothing that it was offered"));
  return choice;
}

/** All of it; undefined when nobody waits for it any longer. */
async function wordsOf(
  parts: ReturnType<typeof complete>,
  signal: AbortSignal,
): Promise<string | ModelError | undefined> {
  let said = "";
  try {
    for await (const part of parts) {
      if (part.kind === "failed") return part.error;
      if (part.kind === "complete") return said;
      // Cut off is not decided.
      if (part.kind !== "text") return "";
      said += part.text;
      if (said.length > answerCharsMax) return said;
    }
    return said;
  } catch (cause) {
    return signal.aborted ? undefined : new ModelError("failed", "asking the model failed", { cause });
  }
}
