import type { IncomingMessage, Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { parseEnvelope } from "@plenary/protocol";
import { createAgentChecks } from "./agents/health-checks.ts";
import { addressOf } from "./auth/client-address.ts";
import { compose, type RunningPorts } from "./compose.ts";
import type { ServerContext } from "./context.ts";
import { Problem } from "./errors.ts";
import { createApp } from "./http/app.ts";
import { createFastPath } from "./http/fast-path.ts";
import { assertBindable, type Bound, bind, createHttpServer, shut } from "./http/listen.ts";
import { createRequestLimiter } from "./http/request-limit.ts";
import { createHealth } from "./http/routes/health.ts";
import { defaultRequestLimits } from "./limits.ts";
import { createNemo } from "./nemo/nemo.ts";
import { createLogger } from "./observability/logger.ts";
import type { FloorServerOptions, FloorServerPorts } from "./options.ts";
import { createRelay } from "./relay/relay.ts";
import type { Env } from "./routing/guards.ts";
import { readStoredFloor, type StoredFloor } from "./stored-floor.ts";
import { createStreams } from "./streams/streams.ts";
import { refuse } from "./streams/websocket/upgrade.ts";

export type FloorServer = {
  token: string;
  /** Where it listens; without the option `listen`, its external address. */
  url: string;
  /** Undefined without the option `listen`. */
  port: number | undefined;
  /** Undefined without the option `healthPort`. */
  healthUrl: string | undefined;
  fetch: (request: Request) => Promise<Response>;
  /** Also closes the store. A second call waits for the first. */
  close: () => Promise<void>;
};

/** Starts a floor. It closes its store at the end, also when it cannot start. */
export async function createFloorServer(
  ports: FloorServerPorts,
  options: FloorServerOptions = {},
): Promise<FloorServer> {
  const { listen, allowRemote } = options;
  const logger = ports.logger ?? createLogger();
  const httpServer = listen && createHttpServer({ ...defaultRequestLimits, ...options.requestLimits });
  let close = async () => {
    httpServer?.close();
    httpServer?.closeAllConnections();
    await ports.store.close();
  };
  try {
    if (listen !== undefined) assertBindable(listen, allowRemote);
    const stored = await readStoredFloor({ ...ports, logger }, options);
    const bound = listen && httpServer && (await bind(httpServer, listen));
    // Up to the request handlers nothing is awaited: no request arrives before they are there.
    const parts = createParts({ ...ports, logger }, options, { stored, bound, httpServer });
    const { listenForHealth, ...server } = parts;
    close = server.close;
    return { ...server, healthUrl: await listenForHealth() };
  } catch (error) {
    await close();
    throw error;
  }
}

type Started = { stored: StoredFloor; bound: Bound | undefined; httpServer: Server | undefined };

/** Creates all parts and lets them serve. */
function createParts(ports: RunningPorts, options: FloorServerOptions, { stored, bound, httpServer }: Started) {
  const url = options.publicUrl ?? bound?.url ?? "http://127.0.0.1";
  const { server, lifecycle } = compose(ports, options, { ...stored, url, ...(bound && { host: bound.host }) });
  const streams = createStreams(server, options.streams);
  const checks = createAgentChecks(server);
  const nemo = createNemo(server, streams, checks);
  const { viewers, limits } = streams;
  const relay = createRelay({ server, sockets: server.sockets, viewers, limits });
  const app = createApp(server, { streams, relay, checks, parts: [nemo] });
  // The check of envelopes is compiled for the first one: now, not during the first request.
  parseEnvelope("{}", { now: "", newId: () => "" });
  const fetch = async (request: Request, about: Env["Bindings"] = {}) => app.fetch(request, about);
  if (httpServer !== undefined) {
    serve(server, httpServer, fetch);
    httpServer.on("upgrade", (request, socket, head) => {
      if (streams.upgrade(request, socket, head) || nemo.upgrade(request, socket, head)) return;
      refuse(socket, new Problem("not-found"), server);
    });
  }
  // Before agents connect again: their answers must find the pending deliveries.
  server.effectRunner.resume(stored.pending);
  if (bound !== undefined) server.logger.info("listening", { url: bound.url });
  const health = createHealth(server);
  async function closeAll(): Promise<void> {
    lifecycle.beginClosing();
    server.logger.info("closing");
    const { drainMs = 10_000 } = options;
    const untilMs = server.clock.now() + drainMs;
    // Streams stay open meanwhile: viewers see the results, and agents on sockets can answer.
    await Promise.all([server.effectRunner.close({ drainMs }), server.webhooks.close({ drainMs })]);
    lifecycle.endDraining();
    await Promise.all([streams.close(), nemo.close()]);
    if (httpServer !== undefined) await shut(httpServer, server.clock, untilMs);
    health.close();
    health.closeAllConnections();
    await server.agents.close();
    await server.store.close();
  }
  let closing: Promise<void> | undefined;
  return {
    token: server.token,
    url: bound?.url ?? url,
    port: bound?.port,
    fetch: (request: Request) => fetch(request),
    async listenForHealth(): Promise<string | undefined> {
      const { healthPort: port } = options;
      return bound && port !== undefined ? (await bind(health, { port, host: bound.host })).url : undefined;
    },
    async close(): Promise<void> {
      closing ??= closeAll();
      await closing;
    },
  };
}

type Fetch = (request: Request, about: Env["Bindings"]) => Promise<Response>;

function serve(server: ServerContext, httpServer: Server, fetch: Fetch): void {
  const limiter = createRequestLimiter(server.requestLimits, server);
  server.metrics.gauge({ name: "requests_served", help: "Requests being served.", read: limiter.served });
  const honoListener = getRequestListener(
    async (request, { incoming }) => {
      const onWait = () => limiter.release(incoming as IncomingMessage);
      const response = await fetch(request, { address: addressOf(incoming, server.originPolicy), onWait });
      onWait();
      return response;
    },
    { overrideGlobalObjects: false },
  );
  httpServer.on("request", createFastPath(server, limiter, honoListener));
}
