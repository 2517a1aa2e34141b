import { defaultOptions, type FloorOptions } from "@plenary/floor";
import { createAgentList } from "./agents.ts";
import { timeOf } from "./decode.ts";
import type { DraftListener } from "./drafts.ts";
import { createHosted, type HostedAgents } from "./hosted.ts";
import type { StreamOptions } from "./inbound/streams.ts";
import { createHttpOutbound } from "./outbound/http.ts";
import { type DeliveryLimits, defaultDeliveryLimits } from "./outbound/limits.ts";
import { createSocketOutbound } from "./outbound/socket.ts";
import { createPerformer, type Performer } from "./perform.ts";
import type { Clock, Dialler, FloorStore, Ids, Outbound, Self } from "./ports.ts";
import { createReceiver } from "./receive.ts";
import type { Running } from "./running.ts";
import { newToken, systemClock, systemIds } from "./system.ts";
import { createTurns, defaultTurnLimits, type Pause, type TurnLimits } from "./turn.ts";
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

/** What is known only once the floor has started or listens. */
export type Place = { url: string; speakerUri: string; deliverySecret: string };

/** The floor without its doors: everything that decides, remembers and delivers. */
export function assemble(ports: FloorServerPorts, options: FloorServerOptions, place: Place) {
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
  const turns = createTurns({ ...defaultTurnLimits, ...options.turnLimits }, jitter(clock, ids));
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

/** After a conflict: up to 1, 2, 4 ... 64 milliseconds, by chance, so that rivals part. */
function jitter(clock: Clock, ids: Ids): Pause {
  return (attempt) =>
    new Promise((resolve) => {
      clock.at(clock.now() + ids.random() * 2 ** Math.min(attempt, 6), resolve);
    });
}

/** Whatever a floor must know of itself before it can speak. */
export async function start(running: Running, options: FloorServerOptions, place: Place): Promise<void> {
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
