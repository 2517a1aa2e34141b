import type { ExpectedAnswers } from "../delivery/expected-answers.ts";
import { Problem } from "../errors.ts";
import type { RateLimits, RequestLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { Metrics } from "../ports/metrics.ts";
import { isOperator, type Principal, recipientOf } from "../ports/principal.ts";
import type { Identity } from "./authenticate.ts";
import { addressKey } from "./client-address.ts";
import type { HeaderReader } from "./origin-check.ts";
import { type Buckets, createBuckets } from "./rate-limiter.ts";

/** Authentication and rate limits of incoming requests. */
export type AccessControl = {
  /** Throws a problem: invalid credentials, or rate limit exceeded. */
  admit(headers: HeaderReader, address: string, method?: string): Promise<Principal>;
  /** The same for the floor's serviceUrl, where an agent may answer a delivery without a credential (D22). */
  admitSender(headers: HeaderReader, address: string): Promise<Principal>;
  /** For requests without authentication: only the rate limit of the address applies. */
  admitAnyone(address: string): void;
  /** Counts the JSON values of a body without a credential: many small values are slow to parse. */
  payForValues(address: string, values: number, bytes: number): Promise<void>;
  /**
   * For relay addresses, which accept requests without a credential. Without a valid credential each byte counts, and a
   * refusal takes a second: a client that is refused at once repeats at once.
   */
  admitWriter(headers: HeaderReader, address: string, bytes: number): Promise<"known" | "anonymous">;
  /** For calls of a hosted agent, which may run long and call other services. */
  admitCaller(address: string, name: string): void;
  /** One frame on an open socket. */
  admitFrame(principal: Principal): void;
  /** One new conversation. `isBrief`: the floor closes it itself. */
  admitOpening(principal: Principal, how?: { isBrief: boolean }): Promise<void>;
};

type AccessContext = {
  identity: Identity;
  clock: Clock;
  metrics: Metrics;
  log: Pick<ConversationLog, "count">;
  /** The first answer to each delivery of this floor does not count. */
  expectedAnswers?: Pick<ExpectedAnswers, "take">;
};

export function createAccessControl(
  { identity, clock, metrics, log, expectedAnswers }: AccessContext,
  limits: RateLimits & Pick<RequestLimits, "conversationsMax">,
): AccessControl {
  const cap = createConversationCap(log, limits.conversationsMax, clock);
  const buckets = (rate: RateLimits["perAddress"]) => createBuckets(rate, limits.remembered, clock);
  const [principals, addresses] = [buckets(limits.perPrincipal), buckets(limits.perAddress)];
  const [failures, openings] = [buckets(limits.badCredentials), buckets(limits.conversations)];
  const [callers, anonymousBytes] = [buckets(limits.hostedAgents), buckets(limits.anonymousBytes)];
  const takeBytes = createByteLimit(anonymousBytes, { clock, metrics });
  const take = createTake(metrics);
  const admitAnyone = (address: string) => take(addresses, addressKey(address), "too many requests from this address");

  const isExpected = (inReplyTo: string | undefined) =>
    inReplyTo !== undefined && expectedAnswers?.take(inReplyTo) === true;

  async function admit(
    headers: HeaderReader,
    address: string,
    method?: string,
    inReplyTo?: string,
  ): Promise<Principal> {
    const principal = await identity.identify(headers, method).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "unauthorized") {
        // A request without a credential is no guess; it counts like any request of the address.
        if (headers.get("authorization") == null) admitAnyone(address);
        else take(failures, addressKey(address), "too many invalid credentials from this address");
      }
      throw error;
    });
    if (isOperator(principal) || isExpected(inReplyTo)) return principal;
    take(principals, principal.id, "this credential is used too often");
    admitAnyone(address);
    return principal;
  }

  async function admitWriter(headers: HeaderReader, address: string, bytes: number): Promise<"known" | "anonymous"> {
    if (headers.get("authorization") != null && (await isKnown(admit(headers, address)))) return "known";
    await takeBytes(address, bytes);
    admitAnyone(address);
    return "anonymous";
  }

  return {
    admit: (headers, address, method) => admit(headers, address, method),
    async admitSender(headers, address) {
      const inReplyTo = headers.get("in-reply-to") ?? undefined;
      if (inReplyTo === undefined) return admit(headers, address);
      try {
        if (headers.get("authorization") != null) return await admit(headers, address, undefined, inReplyTo);
        if (!isExpected(inReplyTo)) {
          await takeBytes(address, announcedIn(headers));
          admitAnyone(address);
        }
        return recipientOf(inReplyTo);
      } catch (error) {
        throw withDelivery(error, inReplyTo);
      }
    },
    admitAnyone,
    admitWriter,
    async payForValues(address, values, bytes) {
      const more = values * bytesPerValue - Math.max(bytes, anonymousBytesMin);
      if (more > 0) await takeBytes(address, more, 0);
    },
    admitCaller: (address, name) =>
      take(callers, `${addressKey(address)} ${name}`, "this address calls this agent too often"),
    admitFrame(principal) {
      if (!isOperator(principal)) take(principals, principal.id, "this credential is used too often");
    },
    async admitOpening(principal, { isBrief } = { isBrief: false }) {
      if (!isBrief && !isOperator(principal))
        take(openings, principal.id, "this credential has created too many conversations");
      await cap.take();
    },
  };
}

/** Takes one token; throws `too-often` when the bucket is empty. */
function createTake(metrics: Metrics) {
  return (from: Buckets, key: string, detail: string): void => {
    const waitS = from.take(key);
    if (waitS === 0) return;
    metrics.turnedAway("rate");
    throw new Problem("too-often", { detail, retryAfterS: Math.max(1, waitS) });
  };
}

async function isKnown(admitted: Promise<Principal>): Promise<boolean> {
  try {
    await admitted;
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === "unauthorized") return false;
    throw error;
  }
}

/** A body without content-length counts as a body of the maximum size. */
const announcedIn = (headers: HeaderReader) => Number(headers.get("content-length") ?? 1_048_576);

/** Minimum cost of a request in bytes. */
const anonymousBytesMin = 4_096;
/** Cost of one JSON value in bytes. */
const bytesPerValue = 32;
const refuseAfterMs = 1_000;

/** Refuses an address over its byte limit after a second: a client that is refused at once repeats at once. */
function createByteLimit(anonymousBytes: Buckets, { clock, metrics }: Pick<AccessContext, "clock" | "metrics">) {
  return async (address: string, bytes: number, least = anonymousBytesMin): Promise<void> => {
    const waitS = anonymousBytes.take(addressKey(address), Math.max(bytes, least));
    if (waitS === 0) return;
    await new Promise<void>((resolve) => clock.at(clock.now() + refuseAfterMs, resolve));
    metrics.turnedAway("rate");
    const detail = "too many bytes from this address without a credential";
    const fix = "repeat it after the seconds in `retryAfter`, or send `Authorization: Bearer` with a key of this floor";
    throw new Problem("too-often", { detail, fix, retryAfterS: Math.max(1, waitS) });
  };
}

/** Adds the delivery to a refusal, so its recipient knows which answer to repeat. */
function withDelivery(error: unknown, inReplyTo: string): unknown {
  if (!(error instanceof Problem) || error.code !== "too-often") return error;
  return new Problem(error.code, { ...error.details, extra: { inReplyTo: inReplyTo.slice(0, 256) } });
}

const countEveryMs = 60_000;

/** Counting a million conversations is slow, so between two counts only new conversations are added. */
function createConversationCap(log: Pick<ConversationLog, "count">, max: number, clock: Clock) {
  let [count, countedMs] = [0, Number.NEGATIVE_INFINITY];
  return {
    async take(): Promise<void> {
      if (clock.now() - countedMs >= countEveryMs) {
        countedMs = clock.now();
        count = await log.count();
      }
      if (count >= max)
        throw new Problem("unavailable", { detail: `this floor has reached its maximum of ${max} conversations` });
      count += 1;
    },
  };
}
