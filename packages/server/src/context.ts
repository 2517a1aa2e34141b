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
import type { DeliveryLimits, RequestLimits } from "./limits.ts";
import type { Clock, Ids } from "./ports/clock.ts";
import type { CredentialStore } from "./ports/credentials.ts";
import type { Discovery } from "./ports/discovery.ts";
import type { Metrics } from "./ports/metrics.ts";
import type { FloorIdentity, Outbound } from "./ports/outbound.ts";
import type { PageFiles } from "./ports/page-files.ts";
import type { FloorStore } from "./ports/store.ts";

/** The live floor, as its transports see it. */
export type ServerContext = {
  store: FloorStore;
  clock: Clock;
  ids: Ids;
  notifier: Notifier;
  metrics: Metrics;
  receiver: Receiver;
  /** How many envelopes that are posted get to the receiver at once. */
  loadShedder: LoadShedder;
  effectRunner: EffectRunner;
  outbounds: readonly Outbound[];
  /** Agents that connected to us. */
  sockets: SocketOutbound;
  expectedAnswers: ExpectedAnswers;
  /** Agents that live in this process. */
  hosted: Hosted;
  agents: AgentRegistry;
  /** How agents are looked for, if at all. */
  discovery: Discovery | undefined;
  /** For people, if there is one. */
  page: PageFiles | undefined;
  self: () => FloorIdentity;
  /** Whether nobody but this machine can connect to it. */
  isOnLoopback: () => boolean;
  /** The address others reach this floor at. */
  url: () => string;
  /** Known to this floor alone, and the same after a restart. */
  deliverySecret: () => string;
  originPolicy: OriginPolicy;
  /** The operator's. */
  token: string;
  access: AccessControl;
  identity: Identity;
  credentials: CredentialStore;
  /** Where people sign in, if anywhere. */
  oidc: Oidc | undefined;
  limits: DeliveryLimits;
  bodyBytesMax: number;
  requestLimits: RequestLimits;
  floorOptions: FloorOptions;
  version: string;
  /** Hears the drafts of one conversation, or all, with the audience each is for. Returns the way to stop. */
  onDraft: DraftListeners["add"];
  onError: (error: unknown) => void;
  isReady: () => Promise<boolean>;
  /** It takes nothing new any more, and finishes what it has. */
  isClosing: () => boolean;
  /** Fires when what was in flight is done: nobody need wait any longer for what comes of it. */
  drained: AbortSignal;
};
