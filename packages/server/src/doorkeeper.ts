import { addressKey, type Heads } from "./admit.ts";
import type { DoorLimits } from "./door-limits.ts";
import { Problem } from "./errors.ts";
import type { Identity } from "./identity/identify.ts";
import { isOperator, type Principal, recipientOf } from "./identity/principal.ts";
import type { Metrics } from "./metrics.ts";
import type { Clock, FloorStore } from "./ports.ts";
import { type Buckets, createBuckets, type RateLimits } from "./rates.ts";

/** Who comes in, and how often. */
export type Doorkeeper = {
  /** Throws the problem: nobody knows this caller, or it comes too often. */
  admit(headers: Heads, address: string, method?: string): Promise<Principal>;
  /** The same for the floor's own serviceUrl, where an agent may answer a delivery without a credential (D22). */
  admitSender(headers: Heads, address: string): Promise<Principal>;
  /** Somebody whose name does not matter. */
  admitAnyone(address: string): void;
  /** The same for a call of an agent that lives here: it may work long for it, and call others. */
  admitCaller(address: string, name: string): void;
  /** One more frame of a socket that is open. */
  admitFrame(principal: Principal): void;
  /** One more conversation. `isBrief`: the floor closes it itself. */
  admitOpening(principal: Principal, how?: { isBrief: boolean }): Promise<void>;
};

type Desk = { identity: Identity; clock: Clock; metrics: Metrics; store: Pick<FloorStore, "count"> };

export function createDoorkeeper(
  { identity, clock, metrics, store }: Desk,
  limits: RateLimits & Pick<DoorLimits, "conversationsMax">,
): Doorkeeper {
  const room = createRoom(store, limits.conversationsMax, clock);
  const buckets = (rate: RateLimits["perAddress"]) => createBuckets(rate, limits.remembered, clock);
  const [principals, addresses] = [buckets(limits.perPrincipal), buckets(limits.perAddress)];
  const [failures, openings] = [buckets(limits.badCredentials), buckets(limits.conversations)];
  const callers = buckets(limits.hostedAgents);
  const take = (from: Buckets, key: string, detail: string) => {
    const waitS = from.take(key);
    if (waitS === 0) return;
    metrics.turnedAway("rate");
    throw new Problem("too-often", { detail, retryAfterS: Math.max(1, waitS) });
  };
  const admitAnyone = (address: string) =>
    take(addresses, addressKey(address), "too many requests come from this address");

  async function admit(headers: Heads, address: string, method?: string): Promise<Principal> {
    const principal = await identity.identify(headers, method).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "unauthorized") {
        // Whoever sends no credential at all is not guessing, but costs as much as anybody.
        if (headers.get("authorization") == null) admitAnyone(address);
        else take(failures, addressKey(address), "too many credentials from this address are nobody's");
      }
      throw error;
    });
    if (isOperator(principal)) return principal;
    take(principals, principal.id, "this credential is used too often");
    admitAnyone(address);
    return principal;
  }

  return {
    admit,
    async admitSender(headers, address) {
      const inReplyTo = headers.get("in-reply-to") ?? undefined;
      if (inReplyTo === undefined || headers.get("authorization") != null) return admit(headers, address);
      admitAnyone(address);
      return recipientOf(inReplyTo);
    },
    admitAnyone,
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
