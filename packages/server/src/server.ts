import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { parseEnvelope } from "@plenary/protocol";
import { createAgentChecks } from "./agents/health-checks.ts";
import { addressOf, isLoopback } from "./auth/client-address.ts";
import { compose, type StartupValues, start } from "./compose.ts";
import { Problem } from "./errors.ts";
import { createApp } from "./http/app.ts";
import { createFastPath } from "./http/fast-path.ts";
import { createRequestLimiter, limitConnections } from "./http/request-limit.ts";
import { createHealth } from "./http/routes/health.ts";
import type { RequestLimits } from "./limits.ts";
import { createNemo } from "./nemo/nemo.ts";
import type { FloorServerOptions, FloorServerPorts } from "./options.ts";
import type { Clock } from "./ports/clock.ts";
import { createRelay } from "./relay/relay.ts";
import type { Env } from "./routing/guards.ts";
import { createStreams } from "./streams/streams.ts";
import { refuse } from "./streams/websocket/upgrade.ts";

export type FloorServer = {
  token: string;
  fetch: (request: Request) => Promise<Response>;
  /** Port 0: any free one. */
  listen: (port: number, host?: string) => Promise<{ url: string; port: number; healthUrl?: string }>;
  close: () => Promise<void>;
};

export function createFloorServer(ports: FloorServerPorts, options: FloorServerOptions = {}): FloorServer {
  const startup: StartupValues = { url: options.publicUrl ?? "http://127.0.0.1", speakerUri: "", deliverySecret: "" };
  const { server, closing } = compose(ports, options, startup);
  const streams = createStreams(server, options.streams);
  const checks = createAgentChecks(server);
  const nemo = createNemo(server, streams, checks);
  const { viewers, limits } = streams;
  const relay = createRelay({ server, sockets: server.sockets, viewers, limits });
  const app = createApp(server, { streams, relay, checks, parts: [nemo] });
  const started = start(server, options, startup);
  // The next request reports the error; an unhandled rejection would end the process.
  started.catch(() => {});
  const fetch = async (request: Request, about: Env["Bindings"] = {}) => {
    await started;
    return app.fetch(request, about);
  };
  let [httpServer, health]: (Server | undefined)[] = [];
  return {
    token: server.token,
    fetch: (request) => fetch(request),
    async listen(port, host = "127.0.0.1") {
      assertBindable(host, options);
      await started;
      // The check of envelopes is compiled for the first one: now, not during the first request.
      parseEnvelope("{}", { now: "", newId: () => "" });
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
      httpServer = createServer(timeoutsOf(server.requestLimits), createFastPath(server, limiter, honoListener));
      limitConnections(httpServer, server.requestLimits);
      httpServer.on("upgrade", (request, socket, head) => {
        if (streams.upgrade(request, socket, head) || nemo.upgrade(request, socket, head)) return;
        refuse(socket, new Problem("not-found"), server);
      });
      const pending = await server.outbox.pending();
      const bound = await bind(httpServer, port, host);
      startup.host = host;
      if (options.publicUrl === undefined) startup.url = bound.url;
      // Before agents connect again: their answers must find the pending deliveries.
      server.effectRunner.resume(pending);
      if (options.healthPort === undefined) return bound;
      health = createHealth(server);
      return { ...bound, healthUrl: (await bind(health, options.healthPort, host)).url };
    },
    async close() {
      closing.isClosing = true;
      const { drainMs = 10_000 } = options;
      const untilMs = server.clock.now() + drainMs;
      // Streams stay open meanwhile: viewers see the results, and agents on sockets can answer.
      await Promise.all([server.effectRunner.close({ drainMs }), server.webhooks.close({ drainMs })]);
      closing.drained.abort();
      await Promise.all([streams.close(), nemo.close()]);
      if (httpServer !== undefined) await shut(httpServer, server.clock, untilMs);
      health?.close();
      health?.closeAllConnections();
      await server.agents.close();
      await server.store.close();
    },
  };
}

function assertBindable(host: string, { allowRemote = false }: FloorServerOptions): void {
  if (allowRemote || isLoopback(host)) return;
  throw new Error(
    `refusing to listen on ${host}: every host that reaches it could try tokens. ` +
      "Listen on 127.0.0.1 and put a proxy that secures access in front of it (in code: `allowRemote: true`).",
  );
}

function timeoutsOf({ headersMs, requestMs, idleMs, headerBytesMax }: RequestLimits) {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    maxHeaderSize: headerBytesMax,
    // How often Node checks for expired connections.
    connectionsCheckingInterval: Math.min(headersMs, 5_000),
  };
}

async function bind(httpServer: Server, port: number, host: string): Promise<{ url: string; port: number }> {
  httpServer.listen(port, host);
  await once(httpServer, "listening");
  const address = httpServer.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return { port: bound, url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}` };
}

const lastAnswersMs = 1_000;
const checkMs = 20;

/** Waits for open answers until `untilMs`; closes idle keep-alive connections at once. */
async function shut(httpServer: Server, clock: Clock, untilMs: number): Promise<void> {
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
