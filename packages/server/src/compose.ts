import { randomBytes } from "node:crypto";
import { defaultOptions } from "@plenary/floor";
import { createHostApi } from "./agents/host-api.ts";
import { createHosted, keepHostedMark } from "./agents/hosted.ts";
import { type AgentRegistry, agentLocations, createAgentRegistry, recordBehaviours } from "./agents/registry.ts";
import { createAccessControl } from "./auth/access.ts";
import { createIdentity } from "./auth/authenticate.ts";
import { isLoopback, isLoopbackMove, isLoopbackOnly } from "./auth/client-address.ts";
import { createMemoryCredentials } from "./auth/memory-credentials.ts";
import { createOidc, type Oidc } from "./auth/oidc.ts";
import { type OriginPolicy, oncePerOrigin } from "./auth/origin-check.ts";
import type { ServerContext } from "./context.ts";
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
  defaultWebhookLimits,
  type QueueLimits,
} from "./limits.ts";
import { createPrometheus, mountGauges } from "./observability/prometheus.ts";
import { createReadiness } from "./observability/readiness.ts";
import { recordDecision } from "./observability/spans.ts";
import type { FloorServerOptions, FloorServerPorts } from "./options.ts";
import { type Clock, type Ids, newToken, systemClock, systemIds } from "./ports/clock.ts";
import type { Binding } from "./ports/lookups.ts";
import type { FloorIdentity, Outbound } from "./ports/outbound.ts";
import { Stop } from "./stop-signal.ts";
import { withStoreErrors } from "./store/errors.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

/** Values that are known only after the server has started or listens. */
export type StartupValues = {
  url: string;
  host?: string;
  speakerUri: string;
  deliverySecret: string;
  /** Part of the speakerUri of hosted agents. */
  hostedMark?: string | undefined;
};

/** Creates and connects all parts of a floor, without its transports. */
export function compose(ports: FloorServerPorts, options: FloorServerOptions, startup: StartupValues) {
  const core = coreOf(ports, options, startup);
  const { clock, metrics, store } = core;
  const hosted = createHosted(ports.hostedAgents, {
    floorUrl: () => startup.url,
    dialler: ports.dialler,
    mark: () => startup.hostedMark,
    // `receiver` and `agents` exist when an agent uses this: no agent is created before the floor listens.
    hostApi: createHostApi({ ...core, catalogue: store.catalogue, receiver: () => receiver, agents: () => agents }),
  });
  const auth = authPartsOf(core, ports, options, startup);
  const { credentials } = auth;
  const sockets = createSocketOutbound({ ...core, credentials });
  const locations = agentLocations({ hosted, sockets, self: core.self });
  const agents = createAgentRegistry({ ...core, store: store.agents, locations });
  const http = createHttpOutbound({ ...core, dialler: hosted.dialler, secretsFor: credentials.secretsFor });
  const outbounds = [...(ports.outbounds ?? []), sockets, http];
  const { receiver, effectRunner, queue, drafts } = createProcessing(core, {
    outbounds,
    agents,
    auth,
    isMove: addressMoveCheck(startup, options),
    queueLimits: { ...defaultQueueLimits, ...options.queueLimits },
  });
  const webhookLimits = { ...defaultWebhookLimits, ...options.webhookLimits };
  const webhooks = createWebhooks({
    ...core,
    store: store.webhooks,
    dialler: ports.dialler,
    isLive: auth.identity.isLive,
    connectMs: core.limits.connectMs,
    limits: webhookLimits,
  });
  const canWrite = createReadiness(store, clock);
  const closing = { isClosing: false, drained: new Stop() };
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
    url: () => startup.url,
    // Without `listen`, only this process can call `fetch`.
    isOnLoopback: () => startup.host === undefined || isLoopback(startup.host),
    page: ports.page,
    discovery: ports.discovery,
    loadShedder: loadShedderOf(core, options),
    originPolicy: originPolicyOf(options),
    bodyBytesMax: options.bodyBytesMax ?? 1_048_576,
    version: options.version ?? "0.1.0",
    onDraft: drafts.add,
    isClosing: () => closing.isClosing,
    drained: closing.drained,
    isReady: async () => !closing.isClosing && (await canWrite()),
  };
  mountGauges(metrics, { store, loadShedder: server.loadShedder, queue, http, sockets, effectRunner, webhooks });
  return { server, closing };
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

function originPolicyOf(options: FloorServerOptions): OriginPolicy {
  const { allowHosts = [], allowOrigins = [], proxies = 0, publicUrl, onForeignOrigin } = options;
  return {
    allowHosts: publicUrl === undefined ? allowHosts : [...allowHosts, new URL(publicUrl).hostname],
    allowOrigins,
    proxies,
    ...(onForeignOrigin && { onForeignOrigin: oncePerOrigin(onForeignOrigin) }),
  };
}

/** Reads `startup` at each call: the listen address is not known yet. */
function addressMoveCheck(startup: StartupValues, options: FloorServerOptions) {
  const originPolicy = originPolicyOf(options);
  return (claim: Binding, boundTo: string) =>
    isLoopbackOnly({ ...originPolicy, ...startup }) && isLoopbackMove(claim, boundTo, startup.url);
}

/** Authentication and access control. */
function authPartsOf(
  { clock, metrics, log, expectedAnswers, requestLimits }: ReturnType<typeof coreOf>,
  ports: FloorServerPorts,
  options: FloorServerOptions,
  startup: StartupValues,
) {
  const { credentials = createMemoryCredentials(), tokens } = ports;
  const { token = newToken() } = options;
  const oidc = oidcOf(ports, options, clock, startup);
  const sessions = { publicUrl: () => startup.url };
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
  return { token, credentials, identity, access, oidc };
}

function oidcOf(
  { identityDial: dial }: FloorServerPorts,
  { signIn }: FloorServerOptions,
  clock: Clock,
  startup: StartupValues,
): Oidc | undefined {
  if (signIn === undefined) return undefined;
  if (dial === undefined) throw new Error("signIn needs identityDial, the way to its issuer");
  const publicUrl = () => startup.url;
  return createOidc({ ...signIn, secret: () => startup.deliverySecret, publicUrl, dial, clock });
}

function loadShedderOf(
  { clock, metrics }: Pick<ServerContext, "clock" | "metrics">,
  { loadLimits }: FloorServerOptions,
) {
  const onRefused = () => {
    metrics.turnedAway("overloaded");
    metrics.envelope(503);
  };
  return createLoadShedder({ ...defaultLoadLimits, ...loadLimits }, { clock, onRefused });
}

/** The parts that all others use. */
function coreOf(ports: FloorServerPorts, options: FloorServerOptions, startup: StartupValues) {
  const { clock = systemClock, ids = systemIds } = ports;
  const { onError = () => {} } = options;
  const { log, lookups, outbox, ...store } = withStoreErrors(ports.store);
  return {
    clock,
    ids,
    onError,
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
    self: (): FloorIdentity => ({ speakerUri: startup.speakerUri, serviceUrl: `${startup.url}/openfloor` }),
    deliverySecret: () => startup.deliverySecret,
  };
}

/** Backoff after a conflict: random, up to 2, 4, 8 ... 64 milliseconds. */
function jitter(clock: Clock, ids: Ids): Pause {
  return (attempt) =>
    new Promise((resolve) => {
      clock.at(clock.now() + ids.random() * 2 ** Math.min(attempt, 6), resolve);
    });
}

/** Loads the agents and the floor's own settings from the store. */
export async function start(server: ServerContext, options: FloorServerOptions, startup: StartupValues): Promise<void> {
  await server.store.ready();
  await server.agents.load();
  startup.speakerUri = await keepOwnName(server, options);
  startup.hostedMark = await keepHostedMark({ ...server.store, log: server.log }, startup.speakerUri);
  // Stored: an agent may answer a delivery after a restart.
  startup.deliverySecret = await server.store.settings.keep("deliverySecret", newToken());
  await server.webhooks.load();
}

/**
 * The floor's own speakerUri, created at the first start and stored. Its random part distinguishes floors at the same
 * address on different machines (D39). Conversants know the floor by it, so a speakerUri given later does not replace it.
 */
async function keepOwnName({ store, clock, onError }: ServerContext, given: FloorServerOptions): Promise<string> {
  const kept = await store.settings.keep("speakerUri", given.speakerUri ?? uniqueName(given.publicUrl, clock));
  if (given.speakerUri !== undefined && given.speakerUri !== kept) {
    const problem = `this store belongs to the floor ${kept}, so the speakerUri ${given.speakerUri} is not used`;
    onError(new Error(`${problem}: leave it out (--speaker, PLENARY_SPEAKER_URI), or start with another store`));
  }
  return kept;
}

function uniqueName(publicUrl: string | undefined, clock: Clock): string {
  const host = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
  const year = new Date(clock.now()).getUTCFullYear();
  return `tag:${host},${year}:plenary-${randomBytes(6).toString("hex")}`;
}
