import { setTimeout as pause } from "node:timers/promises";
import { DialError, type DialResponse } from "@plenary/sdk";
import type { Medium } from "../media.ts";
import type { AnswerPart } from "./answer-parts.ts";
import { ModelError, refusal } from "./model-error.ts";
import { type MediaMessage, type Message, withMedia } from "./prompt.ts";
import { partsIn } from "./response-parser.ts";
import type { LlmConfig } from "./settings.ts";

type Model = Pick<
  LlmConfig,
  "baseUrl" | "model" | "key" | "maxTokens" | "temperature" | "timeouts" | "dialler" | "load"
>;

/** Concurrent answers of one agent: each costs its operator money. */
const atOnceMax = 16;

const backoffMs = 500;
const unreachableTriesMax = 2;
const refusalBytesMax = 65_536;

/**
 * Requests a completion. Retries a busy model until the first text arrives; any other failure becomes the last part.
 * Throws only when the signal aborts.
 */
export async function* complete(
  model: Model,
  messages: readonly MediaMessage[],
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const { load } = model;
  if (load.count >= atOnceMax) {
    const error = new ModelError("busy", `more than ${atOnceMax} answers at the same time`);
    return yield { kind: "failed", error };
  }
  load.count += 1;
  try {
    yield* withRetries(model, messages, signal);
  } finally {
    load.count -= 1;
  }
}

type CompletionInput = { messages: readonly Message[]; media: readonly Medium[]; signal: AbortSignal };

/** Repeats the request without media if the model cannot read them. Calls `onUnread` before the first text. */
export async function* completeWith(
  model: Model,
  { messages, media, signal }: CompletionInput,
  onUnread: () => void,
): AsyncGenerator<AnswerPart> {
  for await (const part of complete(model, withMedia(messages, media), signal)) {
    const isUnread = part.kind === "failed" && part.error.code === "unread" && media.length > 0;
    if (!isUnread) yield part;
    else {
      onUnread();
      return yield* complete(model, messages, signal);
    }
  }
}

async function* withRetries(
  model: Model,
  messages: readonly MediaMessage[],
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const { retryMs, totalMs } = model.timeouts;
  const start = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    let hasBegun = false;
    const leftMs = totalMs - (performance.now() - start);
    try {
      for await (const part of attemptOnce(model, messages, { signal, totalMs: Math.max(1, leftMs) })) {
        hasBegun = true;
        yield part;
      }
      return;
    } catch (cause) {
      signal.throwIfAborted();
      const error = modelErrorOf(cause, model.key);
      const waitMs = waitBefore(attempt, error);
      const isLate = performance.now() - start + waitMs > retryMs;
      if (hasBegun || isLate || !isWorthRetrying(attempt, error)) return yield { kind: "failed", error };
      await pause(waitMs, undefined, { signal });
    }
  }
}

/** An unreachable endpoint rarely comes back within moments, and the asker waits. */
function isWorthRetrying(attempt: number, { code, retryable }: ModelError): boolean {
  return retryable && (code !== "unreachable" || attempt < unreachableTriesMax);
}

/** Exponential backoff with jitter, after the endpoint's `Retry-After`. */
function waitBefore(attempt: number, { retryAfterMs = 0 }: ModelError): number {
  return retryAfterMs + Math.random() * backoffMs * 2 ** attempt;
}

async function* attemptOnce(
  { baseUrl, model, key, maxTokens, temperature, timeouts, dialler }: Model,
  messages: readonly MediaMessage[],
  { signal, totalMs }: { signal: AbortSignal; totalMs: number },
): AsyncGenerator<AnswerPart> {
  const { firstByteMs, silenceMs } = timeouts;
  const response = await dialler.dial({
    url: `${baseUrl.replace(/\/+$/u, "")}/chat/completions`,
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      model,
      messages,
      stream: true,
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
    }),
    signal,
    firstByteMs,
    silenceMs,
    totalMs,
  });
  if (response.status >= 300) throw await refusalIn(response);
  yield* partsIn(response.body);
}

async function refusalIn({ status, headers, body }: DialResponse): Promise<ModelError> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > refusalBytesMax) break;
    }
  } catch {
    // The status is enough.
  }
  return refusal(status, documentIn(text), retryAfterOf(headers));
}

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Seconds or a date; some endpoints send milliseconds. */
function retryAfterOf(headers: Headers): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return ms;
  const after = headers.get("retry-after");
  if (after === null) return undefined;
  const waitMs = /^\d+(?:\.\d+)?$/u.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Endpoints may repeat the request in error messages, so the key is removed from them. */
function modelErrorOf(cause: unknown, key: string | undefined): ModelError {
  if (cause instanceof ModelError) {
    if (key === undefined || !cause.message.includes(key)) return cause;
    const { code, retryAfterMs } = cause;
    return new ModelError(code, cause.message.replaceAll(key, "[key]"), { retryAfterMs });
  }
  if (!(cause instanceof DialError)) return new ModelError("failed", "asking the model failed", { cause });
  const codes = { timeout: "slow", unreachable: "unreachable", broken: "broken" } as const;
  const code = cause.code in codes ? codes[cause.code as keyof typeof codes] : "failed";
  return new ModelError(code, `the model could not be asked: ${cause.message}`, { cause });
}
