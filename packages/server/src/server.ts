import { once } from "node:events";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { isLoopback } from "./admit.ts";
import { assemble, type FloorServerOptions, type FloorServerPorts, type Place, start } from "./assemble.ts";
import { createApp } from "./inbound/http.ts";
import { createStreams } from "./inbound/streams.ts";

export type FloorServer = {
  token: string;
  fetch: (request: Request) => Promise<Response>;
  /** Port 0: any free one. */
  listen: (port: number, host?: string) => Promise<{ url: string; port: number }>;
  close: () => Promise<void>;
};

export function createFloorServer(ports: FloorServerPorts, options: FloorServerOptions = {}): FloorServer {
  const place: Place = { url: options.publicUrl ?? "http://127.0.0.1", speakerUri: "", deliverySecret: "" };
  const { running, closing } = assemble(ports, options, place);
  const streams = createStreams(running, options.streams);
  const app = createApp(running, streams);
  const started = start(running, options, place);
  // Whoever asks next hears of it; until then it must not end the process.
  started.catch(() => {});
  const fetch = async (request: Request) => {
    await started;
    return app.fetch(request);
  };
  let server: Server | undefined;
  return {
    token: running.door.token,
    fetch,
    async listen(port, host = "127.0.0.1") {
      assertBindable(host, options);
      await started;
      server = createServer(fetch);
      server.on("upgrade", streams.upgrade);
      const bound = await bind(server, port, host);
      if (options.publicUrl === undefined) place.url = bound.url;
      running.performer.resume(await running.store.pending());
      return bound;
    },
    async close() {
      closing.isClosing = true;
      await streams.close();
      if (server !== undefined) await shut(server);
      await running.performer.close({ drainMs: options.drainMs ?? 10_000 });
      await running.store.close();
    },
  };
}

function assertBindable(host: string, { allowRemote = false }: FloorServerOptions): void {
  if (allowRemote || isLoopback(host)) return;
  throw new Error(
    `refusing to listen on ${host}: whoever reaches it could try tokens on it. ` +
      "Listen on 127.0.0.1 and put a proxy that secures access in front of it (in code: `allowRemote: true`).",
  );
}

function createServer(fetch: (request: Request) => Promise<Response>): Server {
  // Slow senders do not hold connections for ever; how long an answer takes is not limited by these.
  const serverOptions = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 };
  const server = createAdaptorServer({ fetch, serverOptions, overrideGlobalObjects: false });
  return server as Server;
}

async function bind(server: Server, port: number, host: string): Promise<{ url: string; port: number }> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return { port: bound, url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}` };
}

async function shut(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
