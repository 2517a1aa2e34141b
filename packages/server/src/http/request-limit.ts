import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressKey } from "../auth/client-address.ts";
import type { ProcessContext } from "../context.ts";
import { Problem } from "../errors.ts";
import { createCounts } from "../keyed-counter.ts";
import type { RequestLimits } from "../limits.ts";

export type RequestLimiter = ReturnType<typeof createRequestLimiter>;

/** Delay of a refusal: a client that is refused at once retries at once. */
const refuseAfterMs = 1_000;

/** Health checks are always served. */
const probes: readonly (string | undefined)[] = ["/livez", "/readyz", "/health"];

/** Limits the requests being served: the body has arrived, and the response is not complete. */
export function createRequestLimiter(
  limits: RequestLimits,
  { clock, metrics }: Pick<ProcessContext, "clock" | "metrics">,
) {
  const counts = createCounts();
  const releases = new WeakMap<IncomingMessage, () => void>();
  const startQueue = createStartQueue();
  const isFull = (address: string) =>
    counts.all() + startQueue.waiting() >= limits.servedMax || counts.of(address) >= limits.servedPerAddressMax;

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
    // A slow upload costs no work, so the request counts from the end of its body.
    if (hasBody(request)) request.once("end", begin);
    else begin();
  }

  /** Calls `serve` when there is room; otherwise waits a second, and then resolves with the problem if there is still none. */
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
      const scope = counts.of(key) >= limits.servedPerAddressMax ? " of this address" : "";
      return new Problem("overloaded", { detail: `too many requests${scope} are being served` });
    }
    if (!startQueue.isFree(request.socket)) await startQueue.wait();
    follow(request, response, key);
    serve();
    return undefined;
  }

  return {
    admit,
    /** The request waits for another party, or its response is being written: it does not count any more. */
    release: (request: IncomingMessage) => releases.get(request)?.(),
    served: counts.all,
  };
}

/** Maximum of requests that start in one iteration of the event loop. */
const perIterationMax = 64;

/**
 * Spreads requests that arrive together over several iterations of the event loop, in order: Node accepts new connections
 * only when few open ones have data. Pipelined requests of one connection start together, because the client may have
 * closed the connection by the next iteration.
 */
function createStartQueue() {
  let [started, queue]: [number, (() => void)[]] = [0, []];
  let startedConnections = new WeakSet<object>();
  const nextIteration = () => {
    startedConnections = new WeakSet();
    started = Math.min(perIterationMax, queue.length);
    const first = queue.slice(0, started);
    queue = queue.slice(started);
    if (started > 0) setImmediate(nextIteration);
    for (const start of first) start();
  };
  return {
    waiting: () => queue.length,
    isFree(connection: object) {
      if (startedConnections.has(connection)) return true;
      if (started >= perIterationMax) return false;
      if (started === 0) setImmediate(nextIteration);
      startedConnections.add(connection);
      started += 1;
      return true;
    },
    wait: () => new Promise<void>((resolve) => queue.push(resolve)),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Limits open connections, in total and per address. Clients behind one proxy share its limit. */
export function limitConnections(server: Server, { connectionsMax, connectionsPerAddressMax }: RequestLimits): void {
  server.maxConnections = connectionsMax;
  const open = createCounts();
  server.on("connection", (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? "unknown");
    socket.on("close", open.add(address));
    if (open.of(address) > connectionsPerAddressMax) socket.destroy();
  });
}
