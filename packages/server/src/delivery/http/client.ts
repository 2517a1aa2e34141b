import type { Dialect } from "@plenary/protocol";
import { notTried } from "../../conversation/failure-text.ts";
import { newsOfOthers } from "../../conversation/news-of-others.ts";
import type { Letter, Outbound, Outcome } from "../../ports/outbound.ts";
import { bodyOf, silence } from "../message.ts";
import { attempt } from "./attempt.ts";
import { type Breaker, createBreaker, targetOf } from "./circuit-breaker.ts";
import { type Berths, createBerths } from "./concurrency-limit.ts";
import { aborted, type Final, failed, type Post, type Result } from "./result.ts";

type Desk = Post & { breaker: Breaker; berths: Berths };

export type HttpOutbound = Outbound & { breaker: Breaker; berths: Berths };

const newestFirst: readonly Dialect[] = ["1.1", "1.0", "0.9"];

/** Deliveries by HTTP POST, the answer in the response. */
export function createHttpOutbound(options: Post): HttpOutbound {
  const { clock, limits } = options;
  const breaker = createBreaker(clock);
  const berths = createBerths({ max: limits.inFlightMax, perTargetMax: limits.inFlightPerTargetMax });
  const desk: Desk = { ...options, breaker, berths };
  return {
    breaker,
    berths,
    reaches: ({ serviceUrl }) => /^https?:\/\//iu.test(serviceUrl),
    send: (letter) => send(desk, letter),
  };
}

/**
 * D23': nothing said is lost to somebody who cannot read news about others: where no dialect is understood, the rest
 * goes out without it. The order is always the same, so a repetition after a restart has the same bytes (D22).
 */
async function send(desk: Desk, letter: Letter): Promise<Outcome> {
  const { envelope, to } = letter;
  const news = newsOfOthers(envelope.events, to);
  const { outcome, isUnderstood } = await tryDialects(desk, letter, news.length > 0);
  if (isUnderstood || news.length === 0 || news.length === envelope.events.length) return outcome;
  const events = envelope.events.filter((event) => !news.includes(event));
  return (await tryDialects(desk, { ...letter, envelope: { ...envelope, events } }, false)).outcome;
}

/**
 * D23: until a peer has answered once, each other dialect is tried when it does not understand; afterwards the next older
 * one, once. The seat remembers which; what was learned elsewhere stands in the delivery itself, whose bytes must not
 * change when it is repeated after a restart (D22).
 */
async function tryDialects(
  desk: Desk,
  letter: Letter,
  hasNews: boolean,
): Promise<{ outcome: Outcome; isUnderstood: boolean }> {
  const dialects = dialectsFor(letter);
  // Whoever is invited may know more than it did; who is removed has a dialect.
  const known = letter.dialect ?? (letter.isInvite ? undefined : letter.firstDialect);
  let doubtful: Outcome | undefined;
  let failure: Outcome | undefined;
  for (const dialect of dialects) {
    const body = await bodyOf(letter, dialect);
    if (body === undefined) {
      if (dialect === known) break;
      // It may know another in which there is something to say.
      continue;
    }
    const result = await persist(desk, letter, body);
    if (result.kind === "end" && !isWorse(result, doubtful ?? failure)) {
      return { outcome: learned(dialect, result.outcome, dialects), isUnderstood: true };
    }
    if (result.kind === "doubtful") doubtful ??= learned(dialect, result.outcome, dialects);
    if (result.kind === "misunderstood") failure ??= failureOf(result);
    if (result.kind === "end" || (letter.dialect !== undefined && !mayKnowOlder(letter, result, hasNews))) break;
  }
  const silent: Outcome = { kind: "envelope", envelope: silence(letter), dialect: dialects[0] ?? "1.1", carried: {} };
  return { outcome: doubtful ?? failure ?? silent, isUnderstood: doubtful !== undefined || failure === undefined };
}

/** What an earlier dialect led to says more about the peer than that the next attempt failed. */
function isWorse({ outcome }: Final & { kind: "end" }, earlier: Outcome | undefined): boolean {
  return outcome.kind === "failure" && earlier !== undefined;
}

function failureOf({ failure, detail, code, excerpt }: Final & { kind: "misunderstood" }): Outcome {
  return { kind: "failure", failure, detail, code, ...(excerpt !== undefined && { excerpt }) };
}

/**
 * Whether somebody who has answered before is asked again in the next older dialect: where it says that it did nothing, and
 * where the likely cause is news about others. Otherwise words would be acted on twice.
 */
function mayKnowOlder({ isInvite }: Letter, result: Final, hasNews: boolean): boolean {
  return isInvite || hasNews || (result.kind === "misunderstood" && result.isRefused === true);
}

function dialectsFor({ dialect, firstDialect }: Letter): readonly Dialect[] {
  if (dialect !== undefined) {
    const at = newestFirst.indexOf(dialect);
    return newestFirst.slice(at, at + 2);
  }
  if (firstDialect === undefined) return newestFirst;
  return [firstDialect, ...newestFirst.filter((one) => one !== firstDialect)];
}

/** The peer speaks what it was sent, or something older that it answered in. */
function learned(sent: Dialect, outcome: Outcome, tried: readonly Dialect[]): Outcome {
  if (outcome.kind !== "envelope") return outcome;
  const dialect = newestFirst[Math.max(newestFirst.indexOf(sent), newestFirst.indexOf(outcome.dialect))] ?? sent;
  const { encounter } = outcome;
  if (encounter === undefined || (sent === tried[0] && sent !== newestFirst[0])) return { ...outcome, dialect };
  return { ...outcome, dialect, encounter: { ...encounter, isDialectFound: true } };
}

/** The same bytes again and again, as long as the peer certainly has not acted on them. */
async function persist(desk: Desk, letter: Letter, body: string): Promise<Final> {
  const { clock, limits, ids } = desk;
  // Counted down: a clock that is set back must not keep a delivery going for an hour.
  let leftMs = letter.isCheck ? 0 : letter.isInvite ? limits.inviteRetryMs : limits.retryMs;
  let isRetried = false;
  /** How the last attempt failed says more than that there was no other. */
  let lastAttempt: (Result & { kind: "again" }) | undefined;
  for (let tries = 0; ; ) {
    const begunAt = clock.now();
    const result = await admitted(desk, letter, body);
    if (result.kind !== "again" && result.kind !== "spared") return result;
    if (result.kind === "again") lastAttempt = result;
    leftMs -= Math.max(0, clock.now() - begunAt);
    if (!isRetried) letter.onRetry();
    isRetried = true;
    // Full jitter: whoever was turned away together does not come back together.
    const backoffMs = Math.min(limits.retryCapMs, limits.retryBaseMs * 2 ** tries) * ids.random();
    // One that is spared is not given up before its time: others may find out meanwhile that its target is back.
    const waitMs = result.kind === "spared" ? Math.min(leftMs, result.afterMs) : (result.afterMs ?? backoffMs);
    if (leftMs <= 0 || waitMs > leftMs) return failed("unreachable", lastAttempt ?? result, "unknown");
    if (result.kind === "again") tries += 1;
    await pause(desk, letter, waitMs);
    leftMs -= waitMs;
    if (letter.signal.aborted || letter.stopped?.aborted) return aborted;
  }
}

/** Without a code: it was not asked. */
type Spared = { kind: "spared"; afterMs: number; detail: string; code?: undefined };

const spreadMs = 1_000;

/** One attempt, when there is room for it and its target has not failed too often. */
async function admitted(desk: Desk, letter: Letter, body: string): Promise<Result | Spared> {
  const { berths, breaker, ids } = desk;
  const target = targetOf(letter.to.serviceUrl);
  const release = await berths.take(target, letter.signal);
  if (release === undefined) return aborted;
  try {
    const waitMs = letter.isCheck ? 0 : breaker.waitMs(target);
    if (waitMs > 0) {
      const afterMs = waitMs + ids.random() * spreadMs;
      return { kind: "spared", afterMs, detail: notTried };
    }
    const result = await attempt(desk, letter, body);
    if (result.kind !== "end") letter.onSent?.(false);
    if (result.health === "alive") breaker.succeeded(target);
    else if (result.health === "failing") breaker.failed(target);
    else breaker.leftOpen(target);
    return result;
  } finally {
    release();
  }
}

async function pause({ clock }: Desk, { signal, stopped }: Letter, ms: number): Promise<void> {
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
