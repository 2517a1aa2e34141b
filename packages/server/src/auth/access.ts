import type { OpenAnswers } from "../delivery/expected-answers.ts";
import { Problem } from "../errors.ts";
import type { DoorLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Metrics } from "../ports/metrics.ts";
import { isOperator, type Principal, recipientOf } from "../ports/principal.ts";
import type { FloorStore } from "../ports/store.ts";
import type { Identity } from "./authenticate.ts";
import { addressKey } from "./client-address.ts";
import type { Heads } from "./origin-check.ts";
import { type Buckets, createBuckets, type RateLimits } from "./rate-limiter.ts";

/** Who comes in, and how often. */
export type Doorkeeper = {
  /** Throws the problem: nobody knows this caller, or it comes too often. */
  admit(headers: Heads, address: string, method?: string): Promise<Principal>;
  /** The same for the floor's own serviceUrl, where an agent may answer a delivery without a credential (D22). */
  admitSender(headers: Heads, address: string): Promise<Principal>;
  /** Somebody whose name does not matter. */
  admitAnyone(address: string): void;
  /** A stranger's body holds so many JSON values, which takes longer to read than its bytes tell. */
  payForValues(address: string, values: number, bytes: number): Promise<void>;
  /**
   * The same at an address of a conversant, which everybody may write to. Who brings a right credential is known; a stranger
   * pays for each byte, and is refused after a second: a caller that is refused at once repeats at once.
   */
  admitWriter(headers: Heads, address: string, bytes: number): Promise<"known" | "stranger">;
  /** The same for a call of an agent that lives here: it may work long for it, and call others. */
  admitCaller(address: string, name: string): void;
  /** One more frame of a socket that is open. */
  admitFrame(principal: Principal): void;
  /** One more conversation. `isBrief`: the floor closes it itself. */
  admitOpening(principal: Principal, how?: { isBrief: boolean }): Promise<void>;
};

type Desk = {
  identity: Identity;
  clock: Clock;
  metrics: Metrics;
  store: Pick<FloorStore, "count">;
  /** Answers to deliveries of this floor: the first one to each is not counted. */
  openAnswers?: Pick<OpenAnswers, "take">;
};

export function createDoorkeeper(
  { identity, clock, metrics, store, openAnswers }: Desk,
  limits: RateLimits & Pick<DoorLimits, "conversationsMax">,
): Doorkeeper {
  const room = createRoom(store, limits.conversationsMax, clock);
  const buckets = (rate: RateLimits["perAddress"]) => createBuckets(rate, limits.remembered, clock);
  const [principals, addresses] = [buckets(limits.perPrincipal), buckets(limits.perAddress)];
  const [failures, openings] = [buckets(limits.badCredentials), buckets(limits.conversations)];
  const [callers, strangers] = [buckets(limits.hostedAgents), buckets(limits.strangerBytes)];
  const payBytes = createByteGate(strangers, { clock, metrics });
  const take = (from: Buckets, key: string, detail: string) => {
    const waitS = from.take(key);
    if (waitS === 0) return;
    metrics.turnedAway("rate");
    throw new Problem("too-often", { detail, retryAfterS: Math.max(1, waitS) });
  };
  const admitAnyone = (address: string) =>
    take(addresses, addressKey(address), "too many requests come from this address");

  const isExpected = (inReplyTo: string | undefined) =>
    inReplyTo !== undefined && openAnswers?.take(inReplyTo) === true;

  async function admit(headers: Heads, address: string, method?: string, inReplyTo?: string): Promise<Principal> {
    const principal = await identity.identify(headers, method).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "unauthorized") {
        // Whoever sends no credential at all is not guessing, but costs as much as anybody.
        if (headers.get("authorization") == null) admitAnyone(address);
        else take(failures, addressKey(address), "too many credentials from this address are nobody's");
      }
      throw error;
    });
    if (isOperator(principal) || isExpected(inReplyTo)) return principal;
    take(principals, principal.id, "this credential is used too often");
    admitAnyone(address);
    return principal;
  }

  async function admitWriter(headers: Heads, address: string, bytes: number): Promise<"known" | "stranger"> {
    if (headers.get("authorization") != null && (await isKnown(admit(headers, address)))) return "known";
    await payBytes(address, bytes);
    admitAnyone(address);
    return "stranger";
  }

  return {
    admit: (headers, address, method) => admit(headers, address, method),
    async admitSender(headers, address) {
      const inReplyTo = headers.get("in-reply-to") ?? undefined;
      if (inReplyTo === undefined) return admit(headers, address);
      try {
        if (headers.get("authorization") != null) return await admit(headers, address, undefined, inReplyTo);
        if (!isExpected(inReplyTo)) {
          await payBytes(address, announcedIn(headers));
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
      const more = values * bytesPerValue - Math.max(bytes, strangerBytesMin);
      if (more > 0) await payBytes(address, more, 0);
    },
    admitCaller: (address, name) =>
      take(callers, `${addressKey(address)} ${name}`, "this agent is called too often from this address"),
    admitFrame(principal) {
      if (!isOperator(principal)) take(principals, principal.id, "this credential is used too often");
    },
    async admitOpening(principal, { isBrief } = { isBrief: false }) {
      if (!isBrief && !isOperator(principal))
        take(openings, principal.id, "this credential has begun too many conversations");
      await room.take();
    },
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

/** A body without content-length counts as the largest body. */
const announcedIn = (headers: Heads) => Number(headers.get("content-length") ?? 1_048_576);

/** A small request costs as much as one of so many bytes. */
const strangerBytesMin = 4_096;
/** One JSON value costs as much as so many bytes. */
const bytesPerValue = 32;
const refuseAfterMs = 1_000;

/** An address without bytes left is refused after a second: a caller that is refused at once repeats at once. */
function createByteGate(strangers: Buckets, { clock, metrics }: Pick<Desk, "clock" | "metrics">) {
  return async (address: string, bytes: number, least = strangerBytesMin): Promise<void> => {
    const waitS = strangers.take(addressKey(address), Math.max(bytes, least));
    if (waitS === 0) return;
    await new Promise<void>((resolve) => clock.at(clock.now() + refuseAfterMs, resolve));
    metrics.turnedAway("rate");
    const detail = "too many bytes come from this address without a credential";
    const fix =
      "repeat it after the seconds named in `retryAfter`, or send `Authorization: Bearer` with a key of this floor";
    throw new Problem("too-often", { detail, fix, retryAfterS: Math.max(1, waitS) });
  };
}

/** Names the delivery in a refusal, so that its recipient knows which answer to repeat. */
function withDelivery(error: unknown, inReplyTo: string): unknown {
  if (!(error instanceof Problem) || error.code !== "too-often") return error;
  return new Problem(error.code, { ...error.details, extra: { inReplyTo: inReplyTo.slice(0, 256) } });
}

const countEveryMs = 60_000;

/** Counting a million conversations takes a while, so between two counts only what is begun here is added. */
function createRoom(store: Pick<FloorStore, "count">, max: number, clock: Clock) {
  let [count, countedMs] = [0, Number.NEGATIVE_INFINITY];
  return {
    async take(): Promise<void> {
      if (clock.now() - countedMs >= countEveryMs) {
        countedMs = clock.now();
        count = await store.count();
      }
      if (count >= max) throw new Problem("unavailable", { detail: `this floor holds at most ${max} conversations` });
      count += 1;
    },
  };
}
