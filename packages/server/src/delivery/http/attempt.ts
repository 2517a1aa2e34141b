import type { Failure } from "@plenary/floor";
import { webhookId } from "../../conversation/reply-authorization.ts";
import { beginDelivery } from "../../observability/spans.ts";
import type { DialFailure, DialResponse } from "../../ports/dialler.ts";
import type { OutboundMessage } from "../../ports/outbound.ts";
import { Stop } from "../../stop-signal.ts";
import { headersOf, waitFor } from "../message.ts";
import { isStream } from "./answer-body.ts";
import {
  aborted,
  failed,
  type Health,
  type HttpOptions,
  judgeResponse,
  type Result,
  redirectDetail,
} from "./judge-response.ts";
import { signatureHeaders } from "./signature.ts";

/** Sends one POST and judges its result. */
export async function attempt(options: HttpOptions, message: OutboundMessage, body: string): Promise<Result> {
  const span = beginDelivery(message, options.self);
  const headers = await signedHeaders(options, message, body, span.traceparent).catch(() => undefined);
  // Not sent unsigned when the secrets cannot be read.
  const result = headers === undefined ? unsigned : await span.during(() => sendOnce(options, message, body, headers));
  span.end(...spanResult(result));
  return result;
}

const unsigned: Result = { kind: "again", detail: "it cannot be signed", health: "unknown" };

/** Codes only: a detail may quote the peer. */
function spanResult(result: Result): [outcome: string, error?: string] {
  if (result.kind === "again") return ["again", result.code ?? "unsigned"];
  if (result.kind === "misunderstood") return ["misunderstood", result.code];
  if (result.kind === "doubtful") return ["misunderstood", "doubtful"];
  const { outcome } = result;
  return outcome.kind === "failure" ? [outcome.failure, outcome.code ?? outcome.failure] : [outcome.kind];
}

async function sendOnce(
  options: HttpOptions,
  message: OutboundMessage,
  body: string,
  headers: Record<string, string>,
): Promise<Result> {
  const { dialler, limits } = options;
  const { silenceMs, streamMs } = waitFor(message, limits);
  const timeouts = createTimeouts(options, message);
  const begunAt = options.clock.now();
  try {
    const response = await dialler.dial({
      url: message.to.serviceUrl,
      body,
      headers,
      get signal() {
        return timeouts.stop.signal;
      },
      stop: timeouts.stop,
      onSent: () => message.onSent?.(true),
      connectMs: limits.connectMs,
      firstByteMs: silenceMs,
      silenceMs,
      totalMs: streamMs,
    });
    message.onSent?.(true);
    if (isStream(response)) timeouts.extendForStream();
    const result = await judgeResponse(options, { message, body }, timeouts.watched(response));
    return timed(result, Math.max(0, options.clock.now() - begunAt));
  } catch (error) {
    if ((message.stop ?? message.signal).aborted) return aborted;
    // The dialler has the same limits and may be the first to notice.
    const isTooSlow = timeouts.stop.aborted || (isDialFailure(error) && error.code === "timeout" && error.isSent);
    if (isTooSlow) return failed("timeout", tooSlow(timeouts.waitedMs()), "failing");
    return resultOf(error, message);
  } finally {
    timeouts.end();
  }
}

function tooSlow(ms: number) {
  return { code: "timeout", detail: `it did not answer within ${ms / 1_000} seconds` };
}

function timed(result: Result, tookMs: number): Result {
  if (result.kind !== "end" && result.kind !== "doubtful") return result;
  const { outcome } = result;
  if (outcome.kind !== "envelope" || outcome.encounter === undefined) return result;
  return { ...result, outcome: { ...outcome, encounter: { ...outcome.encounter, tookMs } } };
}

async function signedHeaders(
  options: HttpOptions,
  message: OutboundMessage,
  body: string,
  traceparent: string,
): Promise<Record<string, string>> {
  const { clock, self, deliverySecret, secretsFor } = options;
  const id = message.webhookId ?? webhookId(message, deliverySecret);
  const secrets = (await secretsFor?.(message.to.serviceUrl)) ?? [];
  return {
    ...headersOf(message, self, { id, traceparent }),
    ...signatureHeaders({ id, body, secrets, nowMs: clock.now() }),
  };
}

/** Aborts the request on silence, on a total timeout, or when the delivery is aborted. */
function createTimeouts({ clock, limits }: HttpOptions, message: OutboundMessage) {
  const stop = new Stop();
  const abort = () => stop.abort();
  let waitedMs = 0;
  const abortAfter = (ms: number) => () => {
    waitedMs = ms;
    abort();
  };
  const { silenceMs, answerMs, streamMs } = waitFor(message, limits);
  const begunAt = clock.now();
  let totalMs = answerMs;
  let endTotal = clock.at(begunAt + totalMs, abortAfter(totalMs));
  let endSilence = clock.at(clock.now() + silenceMs, abortAfter(silenceMs));
  const given = message.stop ?? message.signal;
  given.addEventListener("abort", abort, { once: true });
  if (given.aborted) abort();
  let isRead = false;
  async function* parts(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      endSilence();
      endSilence = clock.at(clock.now() + silenceMs, abortAfter(silenceMs));
      yield chunk;
    }
    isRead = true;
  }
  return {
    stop,
    /** The limit that is over. */
    waitedMs: () => waitedMs || (clock.now() < begunAt + totalMs ? silenceMs : totalMs),
    /** Extends the total timeout for a stream. */
    extendForStream() {
      endTotal();
      totalMs = streamMs;
      endTotal = clock.at(begunAt + totalMs, abortAfter(totalMs));
    },
    /** The same response; a part of its body ends the silence. */
    watched(response: DialResponse): DialResponse {
      isRead = response.whole !== undefined;
      return isRead ? response : { ...response, body: parts(response.body) };
    },
    /** Aborts the request if its body was not read to the end. */
    end() {
      endTotal();
      endSilence();
      given.removeEventListener("abort", abort);
      if (!isRead) abort();
    },
  };
}

function resultOf(error: unknown, { to }: OutboundMessage): Result {
  if (!isDialFailure(error)) return failed("unreachable", broken, "failing");
  const { code, message } = error;
  if (code === "redirect") {
    const detail = redirectDetail(300, error.location, to.serviceUrl);
    return failed("refused", { code, detail }, "alive");
  }
  // A request that may have arrived is not sent twice: a model call may cost money or have effects.
  if (error.retryable && !error.isSent) return { kind: "again", code, detail: message, health: "failing" };
  return failed(failureOf[code] ?? "unreachable", { code, detail: message }, healthOf[code] ?? "failing");
}

const broken = { code: "broken", detail: "the connection broke" };

const failureOf: Record<string, Failure> = {
  timeout: "timeout",
  "too-large": "no-envelope",
  encoded: "no-envelope",
};

// A refusal by the dialler says nothing about the target.
const healthOf: Record<string, Health> = {
  "refused-url": "unknown",
  "refused-address": "unknown",
};

export function isDialFailure(error: unknown): error is DialFailure {
  return error instanceof Error && "isSent" in error && "retryable" in error && "code" in error;
}
