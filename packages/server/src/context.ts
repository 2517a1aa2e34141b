// What the parts of a running server share. Each part asks for the contexts that it uses.
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
import type { Logger } from "./ports/logger.ts";
import type { Lookups } from "./ports/lookups.ts";
import type { Metrics } from "./ports/metrics.ts";
import type { FloorIdentity, Outbound } from "./ports/outbound.ts";
import type { Outbox } from "./ports/outbox.ts";
import type { PageFiles } from "./ports/page-files.ts";
import type { FloorStore } from "./ports/store.ts";
import type { StopSignal } from "./stop-signal.ts";
import type { Presence } from "./streams/presence.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

export type ProcessContext = {
  clock: Clock;
  ids: Ids;
  metrics: Metrics;
  logger: Logger;
  /** Logs an error that no caller receives. */
  onError: (error: unknown) => void;
};

/** This floor, as others see it. */
export type FloorContext = {
  self: FloorIdentity;
  /** Its external address. */
  url: string;
  /** Whether it listens on loopback only. */
  isOnLoopback: boolean;
  version: string;
  /** Of conversations whose host gives none. */
  floorOptions: FloorOptions;
  page: PageFiles | undefined;
};

export type StorageContext = {
  log: ConversationLog;
  lookups: Lookups;
  outbox: Outbox;
  /** The other ports of the store. */
  store: Omit<FloorStore, "log" | "lookups" | "outbox">;
};

/** Accepts inputs, and reports new entries of the log. */
export type ReceivingContext = {
  receiver: Receiver;
  notifier: Notifier;
  /** Limits the posted envelopes that the receiver processes at the same time. */
  loadShedder: LoadShedder;
  requestLimits: RequestLimits;
  bodyBytesMax: number;
};

export type DeliveringContext = {
  effectRunner: EffectRunner;
  outbounds: readonly Outbound[];
  /** Agents connected by WebSocket. */
  sockets: SocketOutbound;
  expectedAnswers: ExpectedAnswers;
  /** Of this floor, the same after a restart. */
  deliverySecret: string;
  limits: DeliveryLimits;
  /** Listens to the drafts of one conversation, or of all, with their audiences. Returns the function that stops it. */
  onDraft: DraftListeners["add"];
};

export type AgentsContext = {
  /** Agents in this process. */
  hosted: Hosted;
  agents: AgentRegistry;
  discovery: Discovery | undefined;
  /** Throws when the dialler does not allow this URL (D32). */
  assertDiallable: (url: string) => void;
};

/** Who a caller is, and what it may do. */
export type AccessContext = {
  access: AccessControl;
  identity: Identity;
  credentials: CredentialStore;
  oidc: Oidc | undefined;
  originPolicy: OriginPolicy;
  /** The operator's token. */
  token: string;
  /** The people who are connected. */
  presence: Presence;
};

export type WebhookContext = { webhooks: Webhooks; webhookLimits: WebhookLimits };

export type LifecycleContext = {
  isReady: () => Promise<boolean>;
  /** The server refuses new input and finishes its deliveries. */
  isClosing: () => boolean;
  /** Fires when the deliveries in flight have ended or their time is up: nothing more will follow from a turn. */
  drained: StopSignal;
};

/** For parts that send an input to a conversation and wait for its results. */
export type ConversationContext = ProcessContext &
  FloorContext &
  StorageContext &
  ReceivingContext &
  DeliveringContext &
  LifecycleContext;

/** All of them, for the few places that pass them on. */
export type ServerContext = ConversationContext & AgentsContext & AccessContext & WebhookContext;
