import type { Failure } from "@plenary/floor";
import { type Desk, decodeAnswer } from "../decode.ts";
import type { DialFailure, Dialler, DialResponse, Letter, Outcome, Self } from "../ports.ts";
import { beginDelivery } from "../spans.ts";
import { readBody } from "./answer-body.ts";
import type { DeliveryLimits } from "./limits.ts";
import { signatureHeaders } from "./sign.ts";
import { headersOf, silence, webhookId } from "./write-letter.ts";

export type Post = Desk & {
  dialler: Dialler;
  limits: DeliveryLimits;
  self: () => Self;
  deliverySecret: () => string;
  /** What requests to this address are signed with, the newest first; at most two. Unsigned when there are none. */
  secretsFor?: (serviceUrl: string) => readonly string[] | Promise<readonly string[]>;
};

/** What an attempt says about its target, whatever it says about the delivery. */
type Health = "alive" | "failing" | "unknown";

/** What one POST led to: an end, a reason to try an older dialect, or a reason to try again. */
export type Result = { health: Health } & (
  | { kind: "end"; outcome: Outcome }
  | { kind: "misunderstood"; failure: Failure; detail: string; code: string }
  | { kind: "again"; afterMs?: number; detail: string; code?: string }
);

export type Final = Exclude<Result, { kind: "again" }>;

export const aborted: Final = { kind: "end", outcome: { kind: "aborted" }, health: "unknown" };

function ended(outcome: Outcome): Final {
  return { kind: "end", outcome, health: "alive" };
}

type Reason = { code?: string | undefined; detail: string };

export function failed(failure: Failure, { code, detail }: Reason, health: Health): Final {
  const outcome: Outcome = { kind: "failure", failure, detail, ...(code !== undefined && { code }) };
  return { kind: "end", outcome, health };
}

/** One POST, and what it says about the target. */
export async function attempt(post: Post, letter: Letter, body: string): Promise<Result> {
  const span = beginDelivery(letter, post.self());
  const headers = await signedHeaders(post, letter, body, span.traceparent).catch(() => undefined);
  // Never unsigned because the secrets are out of reach for a moment.
  const result = headers === undefined ? unsigned : await span.during(() => tried(post, letter, body, headers));
  span.end(...told(result));
  return result;
}

const unsigned: Result = { kind: "again", detail: "it cannot be signed", health: "unknown" };

/** In words of ours alone: a detail may be somebody else's. */
function told(result: Result): [outcome: string, error?: string] {
  if (result.kind === "again") return ["again", result.code ?? "unsigned"];
  if (result.kind === "misunderstood") return ["misunderstood", result.code];
  const { outcome } = result;
  return outcome.kind === "failure" ? [outcome.failure, outcome.code ?? outcome.failure] : [outcome.kind];
}

async function tried(post: Post, letter: Letter, body: string, headers: Record<string, string>): Promise<Result> {
  const { dialler, limits } = post;
  const watch = watchOver(post, letter);
  const begunAt = post.clock.now();
  try {
    const response = await dialler.dial({
      url: letter.to.serviceUrl,
      body,
      headers,
      signal: watch.signal,
      connectMs: limits.connectMs,
    });
    const result = await judge(post, letter, { ...response, body: watch.over(response.body) });
    return timed(result, Math.max(0, post.clock.now() - begunAt));
  } catch (error) {
    if (letter.signal.aborted) return aborted;
    if (watch.signal.aborted) return failed("timeout", tooSlow, "failing");
    return reasonOf(error);
  } finally {
    watch.end();
  }
}

const tooSlow = { code: "timeout", detail: "it did not answer in time" };

function timed(result: Result, tookMs: number): Result {
  if (result.kind !== "end" || result.outcome.kind !== "envelope" || result.outcome.encounter === undefined)
    return result;
  return { ...result, outcome: { ...result.outcome, encounter: { ...result.outcome.encounter, tookMs } } };
}

async function signedHeaders(
  post: Post,
  letter: Letter,
  body: string,
  traceparent: string,
): Promise<Record<string, string>> {
  const { clock, self, deliverySecret, secretsFor } = post;
  const id = webhookId(letter, deliverySecret());
  const secrets = (await secretsFor?.(letter.to.serviceUrl)) ?? [];
  return {
    ...headersOf(letter, self(), { id, traceparent }),
    ...signatureHeaders({ id, body, secrets, nowMs: clock.now() }),
  };
}

/** Cuts the request when nothing has come for too long, when it takes too long in all, or when nobody wants it. */
function watchOver({ clock, limits }: Post, letter: Letter) {
  const controller = new AbortController();
  const cut = () => controller.abort();
  const endTotal = clock.at(clock.now() + (letter.isInvite ? limits.inviteAnswerMs : limits.answerMs), cut);
  let endSilence = clock.at(clock.now() + limits.silenceMs, cut);
  letter.signal.addEventListener("abort", cut, { once: true });
  if (letter.signal.aborted) cut();
  let isRead = false;
  return {
    signal: controller.signal,
    async *over(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of body) {
        endSilence();
        endSilence = clock.at(clock.now() + limits.silenceMs, cut);
        yield chunk;
      }
      isRead = true;
    },
    /** What has not been read by now is not wanted. */
    end() {
      endTotal();
      endSilence();
      letter.signal.removeEventListener("abort", cut);
      if (!isRead) cut();
    },
  };
}

function reasonOf(error: unknown): Result {
  if (!isDialFailure(error)) return failed("unreachable", broken, "failing");
  const { code, message } = error;
  // Bytes that may have arrived are not sent twice: a model call may cost money, or act.
  if (error.retryable && !error.isSent) return { kind: "again", code, detail: message, health: "failing" };
  return failed(failureOf[code] ?? "unreachable", { code, detail: message }, healthOf[code] ?? "failing");
}

const broken = { code: "broken", detail: "the connection broke" };

const failureOf: Record<string, Failure> = {
  timeout: "timeout",
  redirect: "refused",
  "too-large": "no-envelope",
  encoded: "no-envelope",
};

// What the dialler would not do says nothing about the one it was to dial.
const healthOf: Record<string, Health> = {
  redirect: "alive",
  "refused-url": "unknown",
  "refused-address": "unknown",
};

function isDialFailure(error: unknown): error is DialFailure {
  return error instanceof Error && "isSent" in error && "retryable" in error && "code" in error;
}

const misunderstandings = new Set([400, 415, 422, 500]);

async function judge(post: Post, letter: Letter, response: DialResponse): Promise<Result> {
  const { status } = response;
  if (status >= 200 && status < 300) return read(post, letter, response);
  const detail = `it answered with status ${status}`;
  const health = status >= 500 ? "failing" : "alive";
  if (status === 429 || status === 503) {
    const afterMs = retryAfterMs(response.headers.get("retry-after"), post.clock.now());
    return { kind: "again", code: "status", detail, health, ...(afterMs !== undefined && { afterMs }) };
  }
  const failure = status >= 500 ? "no-envelope" : "refused";
  return misunderstandings.has(status)
    ? { kind: "misunderstood", failure, code: "status", detail, health }
    : failed(failure, { code: "status", detail }, health);
}

async function read(post: Post, letter: Letter, response: DialResponse): Promise<Result> {
  const { limits } = post;
  const text = await readBody(response, { bytesMax: limits.answerBytesMax, onDraft: letter.onDraft });
  if (text?.trim() === "" && response.status === 202) return ended({ kind: "later" });
  if (text === "" && response.status === 204) {
    const dialect = letter.dialect ?? "1.1";
    return ended({ kind: "envelope", envelope: silence(letter), dialect, carried: {}, encounter: { issues: [] } });
  }
  // Whatever the label says: JSON called text/html is an answer, a page is none.
  const parsed = text === undefined ? undefined : decodeAnswer(text, letter.peers, post);
  if (parsed === undefined) {
    const code = "no-envelope";
    return { kind: "misunderstood", failure: code, code, detail: "its answer is no envelope", health: "failing" };
  }
  const { envelope, dialect, carried, issues } = parsed;
  return ended({ kind: "envelope", envelope, dialect, carried, encounter: { issues } });
}

/** RFC 9110: seconds or a date. */
function retryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,6}$/u.test(value.trim())) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
