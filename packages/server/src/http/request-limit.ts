import type { IncomingMessage, ServerResponse } from "node:http";
import { addressKey } from "../auth/client-address.ts";
import { Problem } from "../errors.ts";
import { createCounts } from "../keyed-counter.ts";
import type { RequestLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Metrics } from "../ports/metrics.ts";

/** Bounds the requests that are being served: whose body is there, and whose answer is being made. */
export type RequestLimiter = {
  /** Calls back at once where there is room, later where there is some after a while, or never and resolves with the problem. */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    address: string,
    serve: () => void,
  ): Promise<Problem | undefined>;
  /** The request waits for somebody else from now on, or its answer is only written: it leaves room for others. */
  release(request: IncomingMessage): void;
  served(): number;
};

type LimiterContext = { clock: Clock; metrics: Metrics };

/** A caller that is refused at once repeats at once. */
const refuseAfterMs = 1_000;

/** Health checks are answered however much else there is to do. */
const probes: readonly (string | undefined)[] = ["/livez", "/readyz", "/health"];

export function createRequestLimiter(limits: RequestLimits, { clock, metrics }: LimiterContext): RequestLimiter {
  const counts = createCounts();
  const releases = new WeakMap<IncomingMessage, () => void>();
  const turnstile = createStartQueue();
  const isFull = (address: string) =>
    counts.all() + turnstile.waiting() >= limits.servedMax || counts.of(address) >= limits.servedPerAddressMax;

  function follow(request: IncomingMessage, response: ServerResponse, address: string): void {
    let isOver = false;
    let leave = () => {};
    const begin = () => {
      if (!isOver) leave = counts.add(address);
    };
    const release = () => {
      isOver = true;
      leave();
    };
    releases.set(request, release);
    response.once("close", release);
    // A body that trickles in keeps nobody busy.
    if (hasBody(request)) request.once("end", begin);
    else begin();
  }

  async function admit(
    request: IncomingMessage,
    response: ServerResponse,
    address: string,
    serve: () => void,
  ): Promise<Problem | undefined> {
    if (probes.includes(request.url)) {
      serve();
      return undefined;
    }
    const key = addressKey(address);
    if (isFull(key)) await new Promise<void>((resolve) => clock.at(clock.now() + refuseAfterMs, resolve));
    if (isFull(key)) {
      metrics.turnedAway("overloaded");
      const whose = counts.of(key) >= limits.servedPerAddressMax ? " of this address" : "";
      return new Problem("overloaded", { detail: `too many requests${whose} are being served` });
    }
    if (!turnstile.isFree(request.socket)) await turnstile.turn();
    follow(request, response, key);
    serve();
    return undefined;
  }

  return { admit, release: (request) => releases.get(request)?.(), served: counts.all };
}

/** So many requests begin in one turn of the event loop. */
const perTurnMax = 64;

/**
 * Node looks for new connections only when few of the old ones have something to say. So those that come together begin in
 * several turns of the event loop, in their order: a client that waits for an answer sends nothing more meanwhile. Those that come
 * behind each other on one connection begin together: their sender may have hung up by the next turn.
 */
function createStartQueue() {
  let [begun, queue]: [number, (() => void)[]] = [0, []];
  let inTurn = new WeakSet<object>();
  const nextTurn = () => {
    inTurn = new WeakSet();
    begun = Math.min(perTurnMax, queue.length);
    const first = queue.slice(0, begun);
    queue = queue.slice(begun);
    if (begun > 0) setImmediate(nextTurn);
    for (const go of first) go();
  };
  return {
    waiting: () => queue.length,
    isFree(connection: object) {
      if (inTurn.has(connection)) return true;
      if (begun >= perTurnMax) return false;
      if (begun === 0) setImmediate(nextTurn);
      inTurn.add(connection);
      begun += 1;
      return true;
    },
    turn: () => new Promise<void>((resolve) => queue.push(resolve)),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
