import type { Failure } from "@plenary/floor";
import type { Dialect } from "@plenary/protocol";
import { type Desk, decodeAnswer } from "../decode.ts";
import type { DialFailure, Dialler, DialResponse, Letter, Outbound, Outcome, Self } from "../ports.ts";
import { readBody } from "./answer-body.ts";
import type { DeliveryLimits } from "./limits.ts";
import { bodyOf, headersOf, silence } from "./write-letter.ts";

export type HttpOutboundOptions = Desk & {
  dialler: Dialler;
  limits: DeliveryLimits;
  self: () => Self;
  deliverySecret: () => string;
};

type Post = HttpOutboundOptions & { known: Map<string, Dialect> };

/** What one POST led to: an end, a reason to try an older dialect, or a reason to try again. */
type Result =
  | { kind: "end"; outcome: Outcome }
  | { kind: "misunderstood"; failure: Failure; detail: string }
  | { kind: "again"; afterMs?: number; detail: string };

const newestFirst: readonly Dialect[] = ["1.1", "1.0", "0.9"];
const knownMax = 10_000;

/** Deliveries by HTTP POST, the answer in the response. */
export function createHttpOutbound(options: HttpOutboundOptions): Outbound {
  const post: Post = { ...options, known: new Map() };
  return {
    reaches: ({ serviceUrl }) => /^https?:\/\//iu.test(serviceUrl),
    send: (letter) => send(post, letter),
  };
}

/** D23: until a peer has answered once, each older dialect is tried when it does not understand. */
async function send(post: Post, letter: Letter): Promise<Outcome> {
  const known = letter.dialect ?? post.known.get(letter.to.serviceUrl);
  let first: Outcome | undefined;
  for (const dialect of known === undefined ? newestFirst : [known]) {
    const body = bodyOf(letter, dialect);
    if (body === undefined) return { kind: "envelope", envelope: silence(letter), dialect, carried: {} };
    const result = await persist(post, letter, body);
    if (result.kind === "end") return learn(post, letter, dialect, result.outcome);
    const { failure, detail } = result;
    first ??= { kind: "failure", failure, detail };
  }
  return first ?? { kind: "failure", failure: "no-envelope", detail: "no dialect was understood" };
}

/** The peer speaks what it was sent, or something older that it answered in. */
function learn(post: Post, letter: Letter, sent: Dialect, outcome: Outcome): Outcome {
  if (outcome.kind !== "envelope") return outcome;
  const dialect = newestFirst[Math.max(newestFirst.indexOf(sent), newestFirst.indexOf(outcome.dialect))] ?? sent;
  post.known.delete(letter.to.serviceUrl);
  post.known.set(letter.to.serviceUrl, dialect);
  const [oldest] = post.known.keys();
  if (post.known.size > knownMax && oldest !== undefined) post.known.delete(oldest);
  return { ...outcome, dialect };
}

/** The same bytes again and again, as long as the peer certainly has not acted on them. */
async function persist(post: Post, letter: Letter, body: string): Promise<Exclude<Result, { kind: "again" }>> {
  const { clock, limits, ids } = post;
  const until = clock.now() + (letter.isInvite ? limits.inviteRetryMs : limits.retryMs);
  for (let tries = 0; ; tries += 1) {
    const result = await attempt(post, letter, body);
    if (result.kind !== "again") return result;
    const backoffMs = Math.min(limits.retryCapMs, limits.retryBaseMs * 2 ** tries) * (0.5 + ids.random() / 2);
    const waitMs = result.afterMs ?? backoffMs;
    if (clock.now() + waitMs > until) return failed("unreachable", result.detail);
    if (tries === 0) letter.onRetry();
    await pause(post, letter.signal, waitMs);
    if (letter.signal.aborted) return { kind: "end", outcome: { kind: "aborted" } };
  }
}

function failed(failure: Failure, detail: string): Result & { kind: "end" } {
  return { kind: "end", outcome: { kind: "failure", failure, detail } };
}

async function pause({ clock }: Post, signal: AbortSignal, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.at(clock.now() + ms, done);
    function done(): void {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}

async function attempt(post: Post, letter: Letter, body: string): Promise<Result> {
  const { dialler, limits, self, deliverySecret } = post;
  const watch = watchOver(post, letter);
  try {
    const response = await dialler.dial({
      url: letter.to.serviceUrl,
      body,
      headers: headersOf(letter, self(), deliverySecret()),
      signal: watch.signal,
      connectMs: limits.connectMs,
    });
    return await judge(post, letter, { ...response, body: watch.over(response.body) });
  } catch (error) {
    if (letter.signal.aborted) return { kind: "end", outcome: { kind: "aborted" } };
    if (watch.signal.aborted) return failed("timeout", "it did not answer in time");
    return reasonOf(error);
  } finally {
    watch.end();
  }
}

/** Cuts the request when nothing has come for too long, when it takes too long in all, or when nobody wants it. */
function watchOver({ clock, limits }: Post, letter: Letter) {
  const controller = new AbortController();
  const cut = () => controller.abort();
  const endTotal = clock.at(clock.now() + (letter.isInvite ? limits.inviteAnswerMs : limits.answerMs), cut);
  let endSilence = clock.at(clock.now() + limits.silenceMs, cut);
  letter.signal.addEventListener("abort", cut, { once: true });
  if (letter.signal.aborted) cut();
  return {
    signal: controller.signal,
    async *over(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of body) {
        endSilence();
        endSilence = clock.at(clock.now() + limits.silenceMs, cut);
        yield chunk;
      }
    },
    /** What has not been read by now is not wanted. */
    end() {
      endTotal();
      endSilence();
      letter.signal.removeEventListener("abort", cut);
      cut();
    },
  };
}

function reasonOf(error: unknown): Result {
  if (!isDialFailure(error)) return failed("unreachable", "the connection broke");
  // Bytes that may have arrived are not sent twice: a model call may cost money, or act.
  if (error.retryable) return { kind: "again", detail: error.message };
  return failed(failureOf[error.code] ?? "unreachable", error.message);
}

const failureOf: Record<string, Failure> = {
  timeout: "timeout",
  redirect: "refused",
  "too-large": "no-envelope",
  encoded: "no-envelope",
};

function isDialFailure(error: unknown): error is DialFailure {
  return error instanceof Error && "isSent" in error && "retryable" in error && "code" in error;
}

const misunderstandings = new Set([400, 415, 422, 500]);

async function judge(post: Post, letter: Letter, response: DialResponse): Promise<Result> {
  const { status } = response;
  if (status >= 200 && status < 300) return read(post, letter, response);
  const detail = `it answered with status ${status}`;
  if (status === 429 || status === 503) {
    const afterMs = retryAfterMs(response.headers.get("retry-after"), post.clock.now());
    return { kind: "again", detail, ...(afterMs !== undefined && { afterMs }) };
  }
  const failure = status >= 500 ? "no-envelope" : "refused";
  return misunderstandings.has(status) ? { kind: "misunderstood", failure, detail } : failed(failure, detail);
}

async function read(post: Post, letter: Letter, response: DialResponse): Promise<Result> {
  const { limits } = post;
  const text = await readBody(response, { bytesMax: limits.answerBytesMax, onDraft: letter.onDraft });
  if (text?.trim() === "" && response.status === 202) return { kind: "end", outcome: { kind: "later" } };
  if (text === "" && response.status === 204) {
    const dialect = letter.dialect ?? "1.1";
    return { kind: "end", outcome: { kind: "envelope", envelope: silence(letter), dialect, carried: {} } };
  }
  // Whatever the label says: JSON called text/html is an answer, a page is none.
  const parsed = text === undefined ? undefined : decodeAnswer(text, letter.peers, post);
  if (parsed === undefined) {
    return { kind: "misunderstood", failure: "no-envelope", detail: "its answer is no envelope" };
  }
  const { envelope, dialect, carried } = parsed;
  return { kind: "end", outcome: { kind: "envelope", envelope, dialect, carried } };
}

/** RFC 9110: seconds or a date. */
function retryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,6}$/u.test(value.trim())) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
