import type { FloorOptions } from "@plenary/floor";
import type { Hosted } from "./agents/hosted.ts";
import type { AgentRegistry } from "./agents/registry.ts";
import type { AccessControl } from "./auth/access.ts";
import type { Identity } from "./auth/authenticate.ts";
import type { Oidc } from "./auth/oidc.ts";
import type { OriginPolicy } from "./auth/origin-check.ts";
import type { Notifier } from "./conversation/notifier.ts";
import type { Receiver } from "./conversation/receive.ts";
import type { DraftListeners } from "./delivery/drafts.ts";
import type { EffectRunner } from "./delivery/effects.ts";
import type { ExpectedAnswers } from "./delivery/expected-answers.ts";
import type { SocketOutbound } from "./delivery/socket/outbound.ts";
import type { LoadShedder } from "./http/load-shedding.ts";
import type { DeliveryLimits, RequestLimits, WebhookLimits } from "./limits.ts";
import type { Clock, Ids } from "./ports/clock.ts";
import type { ConversationLog } from "./ports/conversation-log.ts";
import type { CredentialStore } from "./ports/credentials.ts";
import type { Discovery } from "./ports/discovery.ts";
import type { Lookups } from "./ports/lookups.ts";
import type { Metrics } from "./ports/metrics.ts";
import type { FloorIdentity, Outbound } from "./ports/outbound.ts";
import type { Outbox } from "./ports/outbox.ts";
import type { PageFiles } from "./ports/page-files.ts";
import type { FloorStore } from "./ports/store.ts";
import type { StopSignal } from "./stop-signal.ts";
import type { Presence } from "./streams/presence.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

/** The running server, as its transports use it. */
export type ServerContext = {
  log: ConversationLog;
  lookups: Lookups;
  outbox: Outbox;
  /** The other ports of the store. */
  store: Omit<FloorStore, "log" | "lookups" | "outbox">;
  clock: Clock;
  ids: Ids;
  notifier: Notifier;
  metrics: Metrics;
  receiver: Receiver;
  /** Limits the posted envelopes that the receiver processes at the same time. */
  loadShedder: LoadShedder;
  effectRunner: EffectRunner;
  outbounds: readonly Outbound[];
  /** The people who are connected. */
  presence: Presence;
  /** Agents connected by WebSocket. */
  sockets: SocketOutbound;
  expectedAnswers: ExpectedAnswers;
  /** Agents in this process. */
  hosted: Hosted;
  agents: AgentRegistry;
  webhooks: Webhooks;
  webhookLimits: WebhookLimits;
  /** Throws when the dialler does not allow this URL (D32). */
  assertDiallable: (url: string) => void;
  discovery: Discovery | undefined;
  page: PageFiles | undefined;
  self: FloorIdentity;
  /** Whether the server listens on loopback only. */
  isOnLoopback: boolean;
  /** The external address of this floor. */
  url: string;
  /** Secret of this floor, the same after a restart. */
  deliverySecret: string;
  originPolicy: OriginPolicy;
  /** The operator's token. */
  token: string;
  access: AccessControl;
  identity: Identity;
  credentials: CredentialStore;
  oidc: Oidc | undefined;
  limits: DeliveryLimits;
  bodyBytesMax: number;
  requestLimits: RequestLimits;
  floorOptions: FloorOptions;
  version: string;
  /** Listens to the drafts of one conversation, or of all, with their audiences. Returns the function that stops it. */
  onDraft: DraftListeners["add"];
  onError: (error: unknown) => void;
  isReady: () => Promise<boolean>;
  /** The server refuses new input and finishes its deliveries. */
  isClosing: () => boolean;
  /** Fires when the deliveries in flight have ended or their time is up: nothing more will follow from a turn. */
  drained: StopSignal;
};
