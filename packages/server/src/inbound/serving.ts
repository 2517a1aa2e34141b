import type { IncomingMessage, ServerResponse } from "node:http";
import { addressKey } from "../admit.ts";
import { createCounts } from "../counts.ts";
import type { DoorLimits } from "../door-limits.ts";
import { Problem } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import type { Clock } from "../ports.ts";

/** Bounds the requests that are being served: whose body is there, and whose answer is being made. */
export type Serving = {
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

type Desk = { clock: Clock; metrics: Metrics };

/** Whoever is refused at once is back at once. */
const refuseAfterMs = 1_000;

/** Health checks are answered however much else there is to do. */
const probes: readonly (string | undefined)[] = ["/livez", "/readyz", "/health"];

export function createServing(limits: DoorLimits, { clock, metrics }: Desk): Serving {
  const counts = createCounts();
  const releases = new WeakMap<IncomingMessage, () => void>();
  const isFull = (address: string) =>
    counts.all() >= limits.servedMax || counts.of(address) >= limits.servedPerAddressMax;

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
      const whose = counts.all() >= limits.servedMax ? "" : " of this address";
      return new Problem("overloaded", { detail: `too many requests${whose} are being served` });
    }
    follow(request, response, key);
    serve();
    return undefined;
  }

  return { admit, release: (request) => releases.get(request)?.(), served: counts.all };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
