import { once } from "node:events";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { defaultOptions, type FloorOptions } from "@plenary/floor";
import { isLoopback } from "./admit.ts";
import { createAgentList } from "./agents.ts";
import { timeOf } from "./decode.ts";
import type { DraftListener } from "./drafts.ts";
import { createHosted, type HostedAgents } from "./hosted.ts";
import { createApp } from "./inbound/http.ts";
import { createStreams, type StreamOptions } from "./inbound/streams.ts";
import { createHttpOutbound } from "./outbound/http.ts";
import { type DeliveryLimits, defaultDeliveryLimits } from "./outbound/limits.ts";
import { createSocketOutbound } from "./outbound/socket.ts";
import { createPerformer, type Performer } from "./perform.ts";
import type { Clock, Dialler, FloorStore, Ids, Outbound, Self } from "./ports.ts";
import { createReceiver } from "./receive.ts";
import type { Running } from "./running.ts";
import { newToken, systemClock, systemIds } from "./system.ts";
import { createTurns, defaultTurnLimits, type TurnLimits } from "./turn.ts";
import { createWatcher } from "./watch.ts";

export type FloorServerPorts = {
  store: FloorStore;
  dialler: Dialler;
  clock?: Clock;
  ids?: Ids;
  /** Asked before HTTP whether they lead to an address. */
  outbounds?: readonly Outbound[];
  hostedAgents?: HostedAgents;
};

export type FloorServerOptions = {
  /** The operator's bearer token; random when not given. */
  token?: string;
  /** How the floor signs; kept in the store at the first start (D25). */
  speakerUri?: string;
  /** The address others reach this floor at; where it listens when not given. */
  publicUrl?: string;
  allowHosts?: readonly string[];
  allowOrigins?: readonly string[];
  /** Bind elsewhere than loopback. */
  allowRemote?: boolean;
  floorOptions?: Partial<FloorOptions>;
  deliveryLimits?: Partial<DeliveryLimits>;
  turnLimits?: Partial<TurnLimits>;
  bodyBytesMax?: number;
  streams?: StreamOptions;
  /** Deliveries in flight may take so long when the floor closes. */
  drainMs?: number;
  version?: string;
  onError?: (error: unknown) => void;
};

export type FloorServer = {
  token: string;
  fetch: (request: Request) => Promise<Response>;
  /** Port 0: any free one. */
  listen: (port: number, host?: string) => Promise<{ url: string; port: number }>;
  close: () => Promise<void>;
};

export function createFloorServer(ports: FloorServerPorts, options: FloorServerOptions = {}): FloorServer {
  const place: Place = { url: options.publicUrl ?? "http://127.0.0.1", speakerUri: "", deliverySecret: "" };
  const { running, closing } = createRunning(ports, options, place);
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

/** What is known only once the floor has started or listens. */
type Place = { url: string; speakerUri: string; deliverySecret: string };

function createRunning(ports: FloorServerPorts, options: FloorServerOptions, place: Place) {
  const self = (): Self => ({ speakerUri: place.speakerUri, serviceUrl: `${place.url}/openfloor` });
  const deliverySecret = () => place.deliverySecret;
  const { store, clock = systemClock, ids = systemIds } = ports;
  const hosted = createHosted(ports.hostedAgents, () => place.url, ports.dialler);
  const { dialler } = hosted;
  const { onError = () => {} } = options;
  const limits = { ...defaultDeliveryLimits, ...options.deliveryLimits };
  const floorOptions = { ...defaultOptions, ...options.floorOptions };
  const watcher = createWatcher();
  const agents = createAgentList();
  const draftListeners = new Set<DraftListener>();
  const sockets = createSocketOutbound({ store, clock, ids, limits, self, deliverySecret });
  const outbounds = [
    ...(ports.outbounds ?? []),
    sockets,
    createHttpOutbound({ dialler, clock, ids, limits, self, deliverySecret }),
  ];
  const turns = createTurns({ ...defaultTurnLimits, ...options.turnLimits });
  // The two know each other: what is decided is performed, and how that ended is decided upon.
  const perform: Performer["perform"] = (id, effects) => performer.perform(id, effects);
  const receiver = createReceiver({
    ...{ store, clock, ids, turns, watcher, self, deliverySecret, floorOptions, perform },
  });
  const performer = createPerformer({
    ...{ store, clock, watcher, receiver, outbounds, limits, self, onError },
    onDraft: (draft, audience) => {
      for (const listener of draftListeners) listener(draft, audience);
    },
    onManifest: (serviceUrl, manifest) => {
      const health = manifest === undefined ? "silent" : "answering";
      agents.note({ serviceUrl, health, askedAt: timeOf(clock), ...(manifest && { manifest }) });
    },
  });
  const closing = { isClosing: false };
  const running: Running = {
    ...{
      store,
      clock,
      ids,
      watcher,
      receiver,
      performer,
      hosted,
      outbounds,
      sockets,
      agents,
      self,
      limits,
      floorOptions,
      onError,
    },
    door: {
      token: options.token ?? newToken(),
      allowHosts: [...(options.allowHosts ?? []), ...hostOf(options.publicUrl)],
      allowOrigins: options.allowOrigins ?? [],
    },
    bodyBytesMax: options.bodyBytesMax ?? 1_048_576,
    version: options.version ?? "0.1.0",
    onDraft: (listener) => {
      draftListeners.add(listener);
      return () => draftListeners.delete(listener);
    },
    isReady: async () => !closing.isClosing && (await isReady(store)),
  };
  return { running, closing };
}

async function start(running: Running, options: FloorServerOptions, place: Place): Promise<void> {
  await running.store.ready();
  const host = hostOf(options.publicUrl)[0] ?? "localhost";
  const year = new Date(running.clock.now()).getUTCFullYear();
  place.speakerUri = await running.store.keep("speakerUri", options.speakerUri ?? `tag:${host},${year}:plenary`);
  // An agent may answer after a restart what it was sent before.
  place.deliverySecret = await running.store.keep("deliverySecret", newToken());
}

function hostOf(publicUrl: string | undefined): string[] {
  return publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
}

async function isReady(store: FloorStore): Promise<boolean> {
  try {
    await store.ready();
    return true;
  } catch {
    return false;
  }
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
