import type { Dialect } from "@plenary/protocol";
import { newsOfOthers, notTried } from "../../conversation/failed-delivery.ts";
import type { Outbound, OutboundMessage, Outcome } from "../../ports/outbound.ts";
import { bodyOf, emptyAnswer } from "../message.ts";
import { attempt } from "./attempt.ts";
import { type Breaker, createBreaker, targetOf } from "./circuit-breaker.ts";
import { type ConcurrencyLimit, createConcurrencyLimit } from "./concurrency-limit.ts";
import { aborted, type FinalResult, failed, type HttpOptions, type Result } from "./judge-response.ts";

type HttpContext = HttpOptions & { breaker: Breaker; concurrency: ConcurrencyLimit };

export type HttpOutbound = Outbound & { breaker: Breaker; concurrency: ConcurrencyLimit };

const newestFirst: readonly Dialect[] = ["1.1", "1.0", "0.9"];

/** Deliveries by HTTP POST, the answer in the response. */
export function createHttpOutbound(options: HttpOptions): HttpOutbound {
  const { clock, limits } = options;
  const breaker = createBreaker(clock);
  const concurrency = createConcurrencyLimit({ max: limits.inFlightMax, perTargetMax: limits.inFlightPerTargetMax });
  const context: HttpContext = { ...options, breaker, concurrency };
  return {
    breaker,
    concurrency,
    reaches: ({ serviceUrl }) => /^https?:\/\//iu.test(serviceUrl),
    send: (message) => send(context, message),
  };
}

/**
 * D23': some peers reject events about other conversants. If no dialect is understood, the other events are sent without
 * them. The order is fixed, so a repetition after a restart has the same bytes (D22).
 */
async function send(context: HttpContext, message: OutboundMessage): Promise<Outcome> {
  const { envelope, to } = message;
  const news = newsOfOthers(envelope.events, to);
  const { outcome, isUnderstood } = await tryDialects(context, message, news.length > 0);
  if (isUnderstood || news.length === 0 || news.length === envelope.events.length) return outcome;
  const events = envelope.events.filter((event) => !news.includes(event));
  return (await tryDialects(context, { ...message, envelope: { ...envelope, events } }, false)).outcome;
}

/**
 * D23: a peer that has never answered is tried in every dialect until it understands one; later only in the next older one.
 * The seat stores the dialect. A dialect found elsewhere is stored in the delivery, whose bytes must not change when it is
 * repeated after a restart (D22).
 */
async function tryDialects(
  context: HttpContext,
  message: OutboundMessage,
  hasNews: boolean,
): Promise<{ outcome: Outcome; isUnderstood: boolean }> {
  const dialects = dialectsFor(message);
  // An invitee may understand a newer dialect by now; a removed conversant keeps its dialect.
  const known = message.dialect ?? (message.isInvite ? undefined : message.firstDialect);
  let doubtful: Outcome | undefined;
  let failure: Outcome | undefined;
  for (const dialect of dialects) {
    const writing = bodyOf(message, dialect);
    const body = writing instanceof Promise ? await writing : writing;
    if (body === undefined) {
      if (dialect === known) break;
      // Another dialect may express some of the events.
      continue;
    }
    const result = await sendWithRetries(context, message, body);
    if (result.kind === "end" && !isWorse(result, doubtful ?? failure)) {
      return { outcome: withFoundDialect(dialect, result.outcome, dialects), isUnderstood: true };
    }
    if (result.kind === "doubtful") doubtful ??= withFoundDialect(dialect, result.outcome, dialects);
    if (result.kind === "misunderstood") failure ??= failureOf(result);
    if (result.kind === "end" || (message.dialect !== undefined && !mayTryOlder(message, result, hasNews))) break;
  }
  const silent: Outcome = {
    kind: "envelope",
    envelope: emptyAnswer(message),
    dialect: dialects[0] ?? "1.1",
    carried: {},
  };
  return { outcome: doubtful ?? failure ?? silent, isUnderstood: doubtful !== undefined || failure === undefined };
}

/** The result of an earlier dialect counts more than a failed attempt in the next one. */
function isWorse({ outcome }: FinalResult & { kind: "end" }, earlier: Outcome | undefined): boolean {
  return outcome.kind === "failure" && earlier !== undefined;
}

function failureOf({ failure, detail, code, excerpt }: FinalResult & { kind: "misunderstood" }): Outcome {
  return { kind: "failure", failure, detail, code, ...(excerpt !== undefined && { excerpt }) };
}

/**
 * Whether a peer that has answered before is tried in the next older dialect: only where it reports that it did nothing, or
 * where events about others are the likely cause. Otherwise it could act on the same utterance twice.
 */
function mayTryOlder({ isInvite }: OutboundMessage, result: FinalResult, hasNews: boolean): boolean {
  return isInvite || hasNews || (result.kind === "misunderstood" && result.isRefused === true);
}

function dialectsFor({ dialect, firstDialect }: OutboundMessage): readonly Dialect[] {
  if (dialect !== undefined) {
    const at = newestFirst.indexOf(dialect);
    return newestFirst.slice(at, at + 2);
  }
  if (firstDialect === undefined) return newestFirst;
  return [firstDialect, ...newestFirst.filter((one) => one !== firstDialect)];
}

/** The dialect of the peer is the older one of request and answer. */
function withFoundDialect(sent: Dialect, outcome: Outcome, tried: readonly Dialect[]): Outcome {
  if (outcome.kind !== "envelope") return outcome;
  const dialect = newestFirst[Math.max(newestFirst.indexOf(sent), newestFirst.indexOf(outcome.dialect))] ?? sent;
  const { encounter } = outcome;
  if (encounter === undefined || (sent === tried[0] && sent !== newestFirst[0])) return { ...outcome, dialect };
  return { ...outcome, dialect, encounter: { ...encounter, isDialectFound: true } };
}

/** Retries with the same bytes while the peer certainly has not acted on them. */
async function sendWithRetries(context: HttpContext, message: OutboundMessage, body: string): Promise<FinalResult> {
  const { clock, limits, ids } = context;
  // Counted down, so a clock that is set back does not prolong the retries.
  let leftMs = message.isCheck ? 0 : message.isInvite ? limits.inviteRetryMs : limits.retryMs;
  let isRetried = false;
  /** Its failure is reported when the breaker prevented further attempts. */
  let lastAttempt: (Result & { kind: "again" }) | undefined;
  for (let tries = 0; ; ) {
    const begunAt = clock.now();
    const result = await attemptIfAllowed(context, message, body);
    if (result.kind !== "again" && result.kind !== "circuit-open") return result;
    if (result.kind === "again") lastAttempt = result;
    leftMs -= Math.max(0, clock.now() - begunAt);
    if (!isRetried) message.onRetry();
    isRetried = true;
    // Full jitter: deliveries rejected together do not retry together.
    const backoffMs = Math.min(limits.retryCapMs, limits.retryBaseMs * 2 ** tries) * ids.random();
    // While the breaker is open, the delivery waits for its whole time: a probe may close the breaker.
    const waitMs = result.kind === "circuit-open" ? Math.min(leftMs, result.afterMs) : (result.afterMs ?? backoffMs);
    if (leftMs <= 0 || waitMs > leftMs) return failed("unreachable", lastAttempt ?? result, "unknown");
    if (result.kind === "again") tries += 1;
    await pause(context, message, waitMs);
    leftMs -= waitMs;
    if ((message.stop ?? message.signal).aborted || message.stopped?.aborted) return aborted;
  }
}

/** The breaker was open; without a code, because no request was sent. */
type CircuitOpen = { kind: "circuit-open"; afterMs: number; detail: string; code?: undefined };

const spreadMs = 1_000;

/** One attempt within the concurrency limit, unless the breaker of the target is open. */
async function attemptIfAllowed(
  context: HttpContext,
  message: OutboundMessage,
  body: string,
): Promise<Result | CircuitOpen> {
  const { concurrency, breaker, ids } = context;
  const target = targetOf(message.to.serviceUrl);
  const taking = concurrency.take(target, message.stop ?? message.signal);
  const release = taking instanceof Promise ? await taking : taking;
  if (release === undefined) return aborted;
  try {
    const waitMs = message.isCheck ? 0 : breaker.waitMs(target);
    if (waitMs > 0) {
      const afterMs = waitMs + ids.random() * spreadMs;
      return { kind: "circuit-open", afterMs, detail: notTried };
    }
    const result = await attempt(context, message, body);
    if (result.kind !== "end") message.onSent?.(false);
    if (result.health === "alive") breaker.succeeded(target);
    else if (result.health === "failing") breaker.failed(target);
    else breaker.inconclusive(target);
    return result;
  } finally {
    release();
  }
}

async function pause({ clock }: HttpContext, message: OutboundMessage, ms: number): Promise<void> {
  const { stopped } = message;
  const signal = message.stop ?? message.signal;
  const signals = stopped === undefined ? [signal] : [signal, stopped];
  await new Promise<void>((resolve) => {
    const cancel = clock.at(clock.now() + ms, done);
    function done(): void {
      cancel();
      for (const one of signals) one.removeEventListener("abort", done);
      resolve();
    }
    for (const one of signals) one.addEventListener("abort", done, { once: true });
    if (signals.some(({ aborted: isOver }) => isOver)) done();
  });
}
