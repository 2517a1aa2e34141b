import { setMaxListeners } from "node:events";
import { defaultOptions, type FloorOptions } from "@plenary/floor";
import { createHostApi } from "./agents/host-api.ts";
import { createHosted, type HostedAgents, keepHostedMark } from "./agents/hosted.ts";
import { agentLocations } from "./agents/location.ts";
import { createAgentRegistry, recordBehaviours } from "./agents/registry.ts";
import { createAccessControl } from "./auth/access.ts";
import { createIdentity, type TokenVerifier } from "./auth/authenticate.ts";
import { isLoopback } from "./auth/client-address.ts";
import type { IssuerDial } from "./auth/issuer-dialler.ts";
import { isLoopbackMove, isLoopbackOnly } from "./auth/loopback-move.ts";
import { createMemoryCredentials } from "./auth/memory-credentials.ts";
import { createOidc, type Oidc } from "./auth/oidc.ts";
import { type OriginPolicy, oncePerOrigin } from "./auth/origin-check.ts";
import type { ServerContext } from "./context.ts";
import type { ReceiveContext } from "./conversation/commit.ts";
import { createConversationQueue, type Pause } from "./conversation/conversation-queue.ts";
import { withErasable } from "./conversation/erasure.ts";
import { countInputs } from "./conversation/input-metrics.ts";
import { createNotifier } from "./conversation/notifier.ts";
import { createReceiver } from "./conversation/receive.ts";
import { createRedeliveries } from "./conversation/redelivery.ts";
import { withSeatsHere, withSpeakerBindings } from "./conversation/speaker-bindings.ts";
import { createDraftListeners } from "./delivery/drafts.ts";
import { createEffectRunner, type EffectRunner } from "./delivery/effects.ts";
import { createExpectedAnswers } from "./delivery/expected-answers.ts";
import { createHttpOutbound } from "./delivery/http/client.ts";
import { createSocketOutbound } from "./delivery/socket/outbound.ts";
import { createLoadShedder } from "./http/load-shedding.ts";
import {
  type DeliveryLimits,
  defaultDeliveryLimits,
  defaultLoadLimits,
  defaultQueueLimits,
  defaultRateLimits,
  defaultRequestLimits,
  type LoadLimits,
  type QueueLimits,
  type RateLimits,
  type RequestLimits,
} from "./limits.ts";
import { mountGauges } from "./observability/gauges.ts";
import { createPrometheus } from "./observability/prometheus.ts";
import { createReadiness } from "./observability/readiness.ts";
import { recordDecision } from "./observability/spans.ts";
import { keepOwnName } from "./own-names.ts";
import type { Clock, Ids } from "./ports/clock.ts";
import type { CredentialStore } from "./ports/credentials.ts";
import type { Dialler } from "./ports/dialler.ts";
import type { Discovery } from "./ports/discovery.ts";
import type { FloorIdentity, Outbound } from "./ports/outbound.ts";
import type { PageFiles } from "./ports/page-files.ts";
import type { Binding, FloorStore } from "./ports/store.ts";
import { newToken, systemClock, systemIds } from "./ports/system.ts";
import { withStoreErrors } from "./store/errors.ts";
import type { StreamOptions } from "./streams/streams.ts";

export type FloorServerPorts = {
  store: FloorStore;
  dialler: Dialler;
  /** Who may come in beside the operator; nobody when not given. */
  credentials?: CredentialStore;
  /** Reads bearer tokens that others have signed. */
  tokens?: TokenVerifier;
  /** The way to the issuer that people sign in with. */
  identityDial?: IssuerDial;
  clock?: Clock;
  ids?: Ids;
  /** Asked before HTTP whether they lead to an address. */
  outbounds?: readonly Outbound[];
  hostedAgents?: HostedAgents;
  /** How agents are looked for; nobody is when not given. */
  discovery?: Discovery;
  /** What people see at `/`. */
  page?: PageFiles;
};

export type FloorServerOptions = {
  /** The operator's bearer token; random when not given. */
  token?: string;
  /** How the floor signs; kept in the store at the first start. Without it a unique one is made (D39). */
  speakerUri?: string;
  /** The address others reach this floor at; where it listens when not given. */
  publicUrl?: string;
  allowHosts?: readonly string[];
  allowOrigins?: readonly string[];
  onForeignOrigin?: OriginPolicy["onForeignOrigin"];
  /**
   * People sign in with this OpenID provider; needs `identityDial`. `allow` lists who may, as `*`, an address, `@domain`
   * or `sub:...`; every user of the issuer when not given.
   */
  signIn?: { issuer: string; clientId: string; clientSecret?: string; allow?: readonly string[] };
  /** So many proxies of ours stand before this floor; their X-Forwarded-For is believed. */
  proxies?: number;
  /** `/livez` and `/readyz` answer on this port, too, which nothing else uses; 0: any free one. */
  healthPort?: number;
  /** Bind elsewhere than loopback. */
  allowRemote?: boolean;
  floorOptions?: Partial<FloorOptions>;
  deliveryLimits?: Partial<DeliveryLimits>;
  queueLimits?: Partial<QueueLimits>;
  loadLimits?: Partial<LoadLimits>;
  rateLimits?: Partial<RateLimits>;
  bodyBytesMax?: number;
  requestLimits?: Partial<RequestLimits>;
  streams?: StreamOptions;
  /** Deliveries in flight may take so long when the floor closes. */
  drainMs?: number;
  version?: string;
  onError?: (error: unknown) => void;
};

/** What is known only once the floor has started or listens. */
export type ListenAddress = {
  url: string;
  host?: string;
  speakerUri: string;
  deliverySecret: string;
  /** A part of the names of agents that live here. */
  hostedMark?: string | undefined;
};

/** The floor without its doors: everything that decides, remembers and delivers. */
export function compose(ports: FloorServerPorts, options: FloorServerOptions, place: ListenAddress) {
  const core = coreOf(ports, options, place);
  const { clock, ids, metrics, store } = core;
  const hosted = createHosted(ports.hostedAgents, {
    ...{ floorUrl: () => place.url, dialler: ports.dialler, mark: () => place.hostedMark },
    // Ready when an agent uses it: no agent is created before the floor listens.
    hostApi: createHostApi({ self: core.self, store, receiver: () => receiver, agents: () => agents }),
  });
  const drafts = createDraftListeners();
  const entrance = authPartsOf(core, ports, options, place);
  const sockets = createSocketOutbound({ ...core, credentials: entrance.credentials });
  const locations = agentLocations({ hosted, sockets, self: core.self });
  const agents = createAgentRegistry({ ...core, locations });
  const http = createHttpOutbound({ ...core, dialler: hosted.dialler, secretsFor: entrance.credentials.secretsFor });
  const outbounds = [...(ports.outbounds ?? []), sockets, http];
  const turns = createConversationQueue({ ...defaultQueueLimits, ...options.queueLimits }, jitter(clock, ids));
  // The two know each other: what is decided is performed, and how that ended is decided upon.
  const perform: EffectRunner["perform"] = (id, effects) => effectRunner.perform(id, effects);
  const { admitOpening } = entrance.access;
  const trusted = withSpeakerBindings(store, { ...core, credentials: entrance.credentials });
  const { dialectOf } = agents;
  const onDecided: ReceiveContext["onDecided"] = (origin, decided) => recordDecision(origin, decided, core.self);
  const knowing = { dialectOf, onWritten: recordBehaviours(agents), isMove: addressMoveCheck(place, options) };
  const decider = createReceiver({
    ...core,
    store: trusted,
    queue: turns,
    perform,
    admitOpening,
    onDecided,
    ...knowing,
  });
  const receiver = countInputs(withErasable(withSeatsHere(decider, core.self), store), metrics);
  const effectRunner = createEffectRunner({
    ...{ ...core, receiver, outbounds, credentials: entrance.credentials },
    onDraft: drafts.publish,
    onManifest: agents.learn,
    onOutcome: (serviceUrl, outcome) => agents.learn(serviceUrl, { outcome }),
  });
  const canWrite = createReadiness(store, clock);
  const closing = { isClosing: false, drained: new AbortController() };
  // As many wait for it as wait for turns.
  setMaxListeners(0, closing.drained.signal);
  const server: ServerContext = {
    ...{ ...core, ...entrance, receiver, effectRunner, hosted, outbounds, sockets, agents },
    url: () => place.url,
    // What does not listen is called by its own process.
    isOnLoopback: () => place.host === undefined || isLoopback(place.host),
    ...{ page: ports.page, discovery: ports.discovery },
    loadShedder: admissionOf(core, options),
    originPolicy: originPolicyOf(options),
    bodyBytesMax: options.bodyBytesMax ?? 1_048_576,
    version: options.version ?? "0.1.0",
    onDraft: drafts.add,
    isClosing: () => closing.isClosing,
    drained: closing.drained.signal,
    isReady: async () => !closing.isClosing && (await canWrite()),
  };
  mountGauges(metrics, { store, admission: server.loadShedder, turns, http, sockets, effectRunner });
  return { server, closing };
}

function originPolicyOf(options: FloorServerOptions): OriginPolicy {
  const { allowHosts = [], allowOrigins = [], proxies = 0, publicUrl, onForeignOrigin } = options;
  const naming = onForeignOrigin && { onForeignOrigin: oncePerOrigin(onForeignOrigin) };
  return { allowHosts: [...allowHosts, ...hostOf(publicUrl)], allowOrigins, proxies, ...naming };
}

/** Where it listens is known later than this. */
function addressMoveCheck(place: ListenAddress, options: FloorServerOptions) {
  const originPolicy = originPolicyOf(options);
  return (claim: Binding, boundTo: string) =>
    isLoopbackOnly({ ...originPolicy, ...place }) && isLoopbackMove(claim, boundTo, place.url);
}

/** Everything that tells who comes, and whether it may come in. */
function authPartsOf(
  { clock, metrics, store, expectedAnswers, requestLimits }: ReturnType<typeof coreOf>,
  ports: FloorServerPorts,
  options: FloorServerOptions,
  place: ListenAddress,
) {
  const { credentials = createMemoryCredentials(), tokens } = ports;
  const { token = newToken() } = options;
  const oidc = oidcOf(ports, options, clock, place);
  const sessions = { publicUrl: () => place.url };
  const identity = createIdentity({
    ...{ token, credentials, clock },
    ...(tokens && { tokens }),
    ...(oidc && { sessions }),
  });
  const access = createAccessControl(
    { identity, clock, metrics, store, expectedAnswers },
    { ...defaultRateLimits, ...options.rateLimits, ...requestLimits },
  );
  return { token, credentials, identity, access, oidc };
}

function oidcOf(
  { identityDial: dial }: FloorServerPorts,
  { signIn }: FloorServerOptions,
  clock: Clock,
  place: ListenAddress,
): Oidc | undefined {
  if (signIn === undefined) return undefined;
  if (dial === undefined) throw new Error("signIn needs identityDial, the way to its issuer");
  const publicUrl = () => place.url;
  // What its cookies are sealed with is in the store, and known when the floor has started.
  return createOidc({ ...signIn, secret: () => place.deliverySecret, publicUrl, dial, clock });
}

function admissionOf({ clock, metrics }: Pick<ServerContext, "clock" | "metrics">, { loadLimits }: FloorServerOptions) {
  const onRefused = () => {
    metrics.turnedAway("overloaded");
    metrics.envelope(503);
  };
  return createLoadShedder({ ...defaultLoadLimits, ...loadLimits }, { clock, onRefused });
}

/** What everybody in a floor works with. */
function coreOf(ports: FloorServerPorts, options: FloorServerOptions, place: ListenAddress) {
  const { clock = systemClock, ids = systemIds } = ports;
  const { onError = () => {} } = options;
  return {
    ...{ clock, ids, onError },
    store: withStoreErrors(ports.store),
    notifier: createNotifier(),
    redeliveries: createRedeliveries(),
    expectedAnswers: createExpectedAnswers(),
    metrics: createPrometheus(),
    limits: { ...defaultDeliveryLimits, ...options.deliveryLimits },
    requestLimits: { ...defaultRequestLimits, ...options.requestLimits },
    floorOptions: { ...defaultOptions, ...options.floorOptions },
    self: (): FloorIdentity => ({ speakerUri: place.speakerUri, serviceUrl: `${place.url}/openfloor` }),
    deliverySecret: () => place.deliverySecret,
  };
}

/** After a conflict: up to 1, 2, 4 ... 64 milliseconds, by chance, so that rivals part. */
function jitter(clock: Clock, ids: Ids): Pause {
  return (attempt) =>
    new Promise((resolve) => {
      clock.at(clock.now() + ids.random() * 2 ** Math.min(attempt, 6), resolve);
    });
}

/** Whatever a floor must know of itself before it can speak. */
export async function start(server: ServerContext, options: FloorServerOptions, place: ListenAddress): Promise<void> {
  await server.store.ready();
  await server.agents.load();
  place.speakerUri = await keepOwnName(server, options);
  place.hostedMark = await keepHostedMark(server.store, place.speakerUri);
  // An agent may answer after a restart what it was sent before.
  place.deliverySecret = await server.store.keep("deliverySecret", newToken());
}

function hostOf(publicUrl: string | undefined): string[] {
  return publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
}
