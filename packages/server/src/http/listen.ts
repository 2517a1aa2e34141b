import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { isLoopback } from "../auth/client-address.ts";
import type { RequestLimits } from "../limits.ts";
import type { ListenAddress } from "../options.ts";
import type { Clock } from "../ports/clock.ts";
import { limitConnections } from "./request-limit.ts";

const loopback = "127.0.0.1";

/** Must get its handlers in the same tick in which it begins to listen. */
export function createHttpServer(limits: RequestLimits): Server {
  const { headersMs, requestMs, idleMs, headerBytesMax } = limits;
  const httpServer = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    maxHeaderSize: headerBytesMax,
    // How often Node checks for expired connections.
    connectionsCheckingInterval: Math.min(headersMs, 5_000),
  });
  limitConnections(httpServer, limits);
  return httpServer;
}

export function assertBindable({ host = loopback }: ListenAddress, isRemoteAllowed = false): void {
  if (isRemoteAllowed || isLoopback(host)) return;
  throw new Error(
    `refusing to listen on ${host}: every host that reaches it could try tokens. ` +
      "Listen on 127.0.0.1 and put a proxy that secures access in front of it (in code: `allowRemote: true`).",
  );
}

export type Bound = { url: string; port: number; host: string };

export async function bind(
  httpServer: Server,
  { port, host = loopback, preferredPort }: ListenAddress,
): Promise<Bound> {
  if (preferredPort !== undefined) {
    // Any other port will do.
    const bound = await bindPort(httpServer, preferredPort, host).catch(() => undefined);
    if (bound !== undefined) return bound;
  }
  return bindPort(httpServer, port, host);
}

async function bindPort(httpServer: Server, port: number, host: string): Promise<Bound> {
  httpServer.listen(port, host);
  await once(httpServer, "listening");
  const address = httpServer.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return { port: bound, host, url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}` };
}

const lastAnswersMs = 1_000;
const checkMs = 20;

/** Waits for open answers until `untilMs`; closes idle keep-alive connections at once. */
export async function shut(httpServer: Server, clock: Clock, untilMs: number): Promise<void> {
  const closed = once(httpServer, "close");
  httpServer.close();
  const check = () => {
    httpServer.closeIdleConnections();
    cancelCheck = clock.at(clock.now() + checkMs, check);
  };
  let cancelCheck = clock.at(clock.now() + checkMs, check);
  const cancel = clock.at(Math.max(untilMs, clock.now() + lastAnswersMs), () => httpServer.closeAllConnections());
  await closed;
  cancelCheck();
  cancel();
}
