import { defaultOptions } from "@plenary/floor";
import { agentSummaries, createHostApi } from "./agents/host-api.ts";
import { createHosted } from "./agents/hosted.ts";
import { type AgentRegistry, agentLocations, createAgentRegistry, recordBehaviours } from "./agents/registry.ts";
import { createAccessControl } from "./auth/access.ts";
import { createIdentity } from "./auth/authenticate.ts";
import { isLoopback, isLoopbackMove, isLoopbackOnly } from "./auth/client-address.ts";
import { createMemoryCredentials } from "./auth/memory-credentials.ts";
import { createOidc, type Oidc } from "./auth/oidc.ts";
import { foreignOriginLog, type OriginPolicy } from "./auth/origin-check.ts";
import type { ServerContext, StorageContext } from "./context.ts";
import { createConversationQueue, type Pause } from "./conversation/conversation-queue.ts";
import { createNotifier } from "./conversation/notifier.ts";
import { createReceiver } from "./conversation/receive.ts";
import { createRedeliveries } from "./conversation/redeliveries.ts";
import { createDraftListeners } from "./delivery/drafts.ts";
import { createEffectRunner, type EffectRunner } from "./delivery/effects.ts";
import { createExpectedAnswers } from "./delivery/expected-answers.ts";
import { createHttpOutbound } from "./delivery/http/client.ts";
import { createSocketOutbound } from "./delivery/socket/outbound.ts";
import { createLoadShedder } from "./http/load-shedding.ts";
import {
  defaultDeliveryLimits,
  defaultLoadLimits,
  defaultQueueLimits,
  defaultRateLimits,
  defaultRequestLimits,
  defaultStreamLimits,
  defaultWebhookLimits,
  type QueueLimits,
} from "./limits.ts";
import { createErrorReport } from "./observability/error-report.ts";
import { createPrometheus, mountGauges } from "./observability/prometheus.ts";
import { createReadiness } from "./observability/readiness.ts";
import { recordDecision } from "./observability/spans.ts";
import type { FloorServerOptions, FloorServerPorts } from "./options.ts";
import { type Clock, type Ids, newToken, systemClock, systemIds } from "./ports/clock.ts";
import type { Binding } from "./ports/lookups.ts";
import type { FloorIdentity, Outbound } from "./ports/outbound.ts";
import { Stop } from "./stop-signal.ts";
import { withStoreErrors } from "./store/errors.ts";
import type { StoredFloor } from "./stored-floor.ts";
import { createPresence } from "./streams/presence.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

/** What is known before the parts are created: the content of the store, and where the floor is reached. */
export type Startup = Omit<StoredFloor, "pending"> & {
  /** The external address. */
  url: string;
  /** The address it listens on; undefined where only its own process calls it. */
  host?: string;
};

export type RunningPorts = FloorServerPorts & Required<Pick<FloorServerPorts, "logger">>;

/** Creates and connects all parts of a floor, without its transports. */
export function compose(ports: RunningPorts, options: FloorServerOptions, startup: Startup) {
  const core = coreOf(ports, options, startup);
  const { clock, metrics, store } = core;
  const hosted = createHosted(ports.hostedAgents, {
    floorUrl: startup.url,
    dialler: ports.dialler,
    mark: startup.hostedMark,
    // An agent calls these when it is asked something: then `receiver` and `agents` exist.
    hostApi: createHostApi({
      ...core,
      catalogue: store.catalogue,
      receive: (request) => receiver.envelope(request),
      knownAgents: () => agentSummaries(agents),
    }),
  });
  const originPolicy = originPolicyOf(core, options);
  const auth = authPartsOf(core, ports, options, startup);
  const { credentials } = auth;
  const sockets = createSocketOutbound({ ...core, credentials, presence: auth.presence });
  const locations = agentLocations({ hosted, sockets, self: core.self });
  const agents = createAgentRegistry({ ...core, store: store.agents, stored: startup.agents, locations });
  const http = createHttpOutbound({ ...core, dialler: hosted.dialler, secretsFor: credentials.secretsFor });
  const outbounds = [...(ports.outbounds ?? []), sockets, http];
  const isMove = addressMoveCheck(startup, originPolicy);
  const queueLimits = { ...defaultQueueLimits, ...options.queueLimits };
  const processing = createProcessing(core, { outbounds, agents, auth, isMove, queueLimits });
  const { receiver, effectRunner, queue, drafts } = processing;
  const webhookLimits = { ...defaultWebhookLimits, ...options.webhookLimits };
  const webhooks = createWebhooks({
    ...core,
    store: store.webhooks,
    stored: startup.webhooks,
    dialler: ports.dialler,
    isLive: auth.identity.isLive,
    connectMs: core.limits.connectMs,
    limits: webhookLimits,
  });
  const lifecycle = createLifecycle(store, clock);
  const { isReady, isClosing, drained } = lifecycle;
  const server: ServerContext = {
    ...core,
    ...auth,
    receiver,
    effectRunner,
    hosted,
    outbounds,
    sockets,
    agents,
    webhooks,
    webhookLimits,
    assertDiallable: (url) => ports.dialler.check?.(url),
    ...placeOf(startup),
    version: options.version ?? "0.1.0",
    page: ports.page,
    discovery: ports.discovery,
    loadShedder: loadShedderOf(core, options),
    originPolicy,
    bodyBytesMax: options.bodyBytesMax ?? 1_048_576,
    onDraft: drafts.add,
    isReady,
    isClosing,
    drained,
  };
  mountGauges(metrics, { store, loadShedder: server.loadShedder, queue, http, sockets, effectRunner, webhooks });
  return { server, lifecycle };
}

function placeOf({ url, host }: Startup) {
  return { url, isOnLoopback: host === undefined || isLoopback(host) };
}

function createLifecycle(store: StorageContext["store"], clock: Clock) {
  const canWrite = createReadiness(store, clock);
  const drained = new Stop();
  let isClosing = false;
  return {
    isReady: async () => !isClosing && (await canWrite()),
    isClosing: () => isClosing,
    drained,
    beginClosing() {
      isClosing = true;
    },
    endDraining: () => drained.abort(),
  };
}

type ProcessingParts = {
  outbounds: readonly Outbound[];
  agents: AgentRegistry;
  auth: ReturnType<typeof authPartsOf>;
  isMove: ReturnType<typeof addressMoveCheck>;
  queueLimits: QueueLimits;
};

/** The receiver, which decides on inputs, and the effect runner, which delivers. They call each other. */
function createProcessing(
  core: ReturnType<typeof coreOf>,
  { outbounds, agents, auth, isMove, queueLimits }: ProcessingParts,
) {
  const { clock, ids } = core;
  const { credentials } = auth;
  const drafts = createDraftListeners();
  const queue = createConversationQueue(queueLimits, jitter(clock, ids));
  const receiver = createReceiver({
    ...core,
    credentials,
    queue,
    perform: (id, effects) => effectRunner.perform(id, effects),
    admitOpening: auth.access.admitOpening,
    onDecided: (origin, decided) => recordDecision(origin, decided, core.self),
    dialectOf: agents.dialectOf,
    onWritten: recordBehaviours(agents),
    isMove,
  });
  const effectRunner: EffectRunner = createEffectRunner({
    ...core,
    receiver,
    outbounds,
    credentials,
    onDraft: drafts.publish,
    onManifest: agents.learn,
    onOutcome: (serviceUrl, outcome) => agents.learn(serviceUrl, { outcome }),
  });
  return { receiver, effectRunner, queue, drafts };
}

function originPolicyOf(core: ReturnType<typeof coreOf>, options: FloorServerOptions): OriginPolicy {
  const { allowHosts = [], allowOrigins = [], proxies = 0, publicUrl } = options;
  return {
    allowHosts: publicUrl === undefined ? allowHosts : [...allowHosts, new URL(publicUrl).hostname],
    allowOrigins,
    proxies,
    onForeignOrigin: foreignOriginLog(core),
  };
}

function addressMoveCheck(startup: Startup, originPolicy: OriginPolicy) {
  const isAllowed = isLoopbackOnly({ ...originPolicy, ...startup });
  return (claim: Binding, boundTo: string) => isAllowed && isLoopbackMove(claim, boundTo, startup.url);
}

/** Authentication, access control and presence. */
function authPartsOf(
  { clock, metrics, log, expectedAnswers, requestLimits }: ReturnType<typeof coreOf>,
  ports: FloorServerPorts,
  options: FloorServerOptions,
  startup: Startup,
) {
  const { credentials = createMemoryCredentials(), tokens } = ports;
  const { token = newToken() } = options;
  const oidc = oidcOf(ports, options, clock, startup);
  const sessions = { publicUrl: startup.url };
  const identity = createIdentity({
    token,
    credentials,
    clock,
    ...(tokens && { tokens }),
    ...(oidc && { sessions }),
  });
  const access = createAccessControl(
    { identity, clock, metrics, log, expectedAnswers },
    { ...defaultRateLimits, ...options.rateLimits, ...requestLimits },
  );
  const { awayMs, onPresence = () => {} } = { ...defaultStreamLimits, ...options.streams?.limits, ...options.streams };
  const presence = createPresence(clock, awayMs, onPresence);
  return { token, credentials, identity, access, oidc, presence };
}

function oidcOf(
  { identityDial: dial }: FloorServerPorts,
  { signIn }: FloorServerOptions,
  clock: Clock,
  { url: publicUrl, deliverySecret: secret }: Startup,
): Oidc | undefined {
  if (signIn === undefined) return undefined;
  if (dial === undefined) throw new Error("signIn needs identityDial, the way to its issuer");
  return createOidc({ ...signIn, secret, publicUrl, dial, clock });
}

function loadShedderOf({ clock, metrics }: ReturnType<typeof coreOf>, { loadLimits }: FloorServerOptions) {
  const onRefused = () => {
    metrics.turnedAway("overloaded");
    metrics.envelope(503);
  };
  return createLoadShedder({ ...defaultLoadLimits, ...loadLimits }, { clock, onRefused });
}

/** The parts that all others use. */
function coreOf(ports: RunningPorts, options: FloorServerOptions, { url, speakerUri, deliverySecret }: Startup) {
  const { clock = systemClock, ids = systemIds, logger } = ports;
  const { log, lookups, outbox, ...store } = withStoreErrors(ports.store);
  return {
    clock,
    ids,
    logger,
    onError: createErrorReport(logger),
    log,
    lookups,
    outbox,
    store,
    notifier: createNotifier(),
    redeliveries: createRedeliveries(),
    expectedAnswers: createExpectedAnswers(),
    metrics: createPrometheus(),
    limits: { ...defaultDeliveryLimits, ...options.deliveryLimits },
    requestLimits: { ...defaultRequestLimits, ...options.requestLimits },
    floorOptions: { ...defaultOptions, ...options.floorOptions },
    self: { speakerUri, serviceUrl: `${url}/openfloor` } satisfies FloorIdentity,
    deliverySecret,
  };
}

/** Backoff after a conflict: random, up to 2, 4, 8 ... 64 milliseconds. */
function jitter(clock: Clock, ids: Ids): Pause {
  return (attempt) =>
    new Promise((resolve) => {
      clock.at(clock.now() + ids.random() * 2 ** Math.min(attempt, 6), resolve);
    });
}
