import { setTimeout as pause } from "node:timers/promises";
import { EventTooLongError, readEventStream, type StreamedEvent } from "@plenary/protocol";
import { DialError, type DialResponse } from "@plenary/sdk";
import type { Medium } from "../media.ts";
import { type AnswerPart, type Ending, fieldsOf, ModelError, refusal } from "./answer-parts.ts";
import { type MediaMessage, type Message, withMedia } from "./prompt.ts";
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
function retryAfterOf(headers: DialResponse["headers"]): number | undefined {
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

/** Much more than any answer, including its reasoning. */
const bytesMax = 16_777_216;
/** Of one event. */
const eventCharsMax = 262_144;
const documentCharsMax = 4_194_304;

/**
 * Reads the response of a chat completion: server-sent events with one JSON document each, ended by [DONE], or one
 * document from endpoints that do not stream.
 */
async function* partsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<AnswerPart> {
  const pieces = textOf(body);
  let head = "";
  for await (const piece of pieces) {
    head += piece;
    const first = head.trimStart().charAt(0);
    if (first === "") continue;
    if (first === "<")
      throw new ModelError("garbled", "the model answered with a page of HTML: is the base URL right?");
    return yield* first === "{" ? documentParts(head, pieces) : streamParts(head, pieces);
  }
  throw new ModelError("garbled", "the model answered with nothing");
}

async function* textOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new ModelError("garbled", `the answer of the model has more than ${bytesMax} bytes`);
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

async function* streamParts(head: string, more: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  try {
    for await (const event of readEventStream(chain(head, more), { eventCharsMax })) {
      for (const part of partsOf(event)) {
        yield part;
        if (part.kind !== "text") return;
      }
    }
  } catch (error) {
    if (!(error instanceof EventTooLongError)) throw error;
    throw new ModelError("garbled", `the model sent an event of more than ${eventCharsMax} characters`);
  }
  throw new ModelError("broken", "the response of the model is incomplete");
}

async function* chain(head: string, more: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* more;
}

function* partsOf({ event, data }: StreamedEvent): Generator<AnswerPart> {
  if (data.trim() === "[DONE]") return yield { kind: "complete" };
  const document = parsed(data);
  if (event === "error") throw refusal(undefined, document);
  throwErrorIn(document);
  const { delta, finish_reason } = choiceIn(document);
  yield* spokenIn(fieldsOf(delta));
  const ending = endingOf(finish_reason);
  if (ending !== undefined) yield ending;
}

async function* documentParts(head: string, more: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  let text = head;
  for await (const piece of more) {
    text += piece;
    if (text.length > documentCharsMax) throw new ModelError("garbled", "the answer of the model is too long");
  }
  const document = parsed(text);
  throwErrorIn(document);
  const choice = choiceIn(document);
  if (choice.message === undefined) throw new ModelError("garbled", "the answer of the model has no message");
  yield* spokenIn(fieldsOf(choice.message));
  yield endingOf(choice.finish_reason) ?? { kind: "complete" };
}

/** Without the cause: the message of JSON.parse quotes the answer. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelError("garbled", "the model sent something that is not JSON");
  }
}

function throwErrorIn(document: unknown): void {
  const { error, object } = fieldsOf(document);
  if ((error !== undefined && error !== null) || object === "error") throw refusal(undefined, document);
}

function choiceIn(document: unknown): Record<string, unknown> {
  const { choices } = fieldsOf(document);
  return Array.isArray(choices) ? fieldsOf(choices[0]) : {};
}

/** Skips tool calls, because the request offers no tools, and reasoning. */
function* spokenIn({ content, refusal: declined }: Record<string, unknown>): Generator<AnswerPart> {
  const parts: unknown[] = Array.isArray(content) ? content.map((part) => fieldsOf(part).text) : [content];
  for (const text of [...parts, declined]) {
    if (typeof text === "string" && text !== "") yield { kind: "text", text };
  }
}

function endingOf(reason: unknown): Ending | undefined {
  if (typeof reason !== "string" || reason === "") return undefined;
  if (reason === "length") return { kind: "length" };
  return reason === "content_filter" ? { kind: "filtered" } : { kind: "complete" };
}
