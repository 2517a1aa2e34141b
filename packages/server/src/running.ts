import type { FloorOptions } from "@plenary/floor";
import type { Door } from "./admit.ts";
import type { AgentList } from "./agents.ts";
import type { Discovery } from "./discovery-port.ts";
import type { DoorLimits } from "./door-limits.ts";
import type { Doorkeeper } from "./doorkeeper.ts";
import type { DraftListeners } from "./drafts.ts";
import type { Hosted } from "./hosted.ts";
import type { CredentialStore } from "./identity/credential.ts";
import type { Identity } from "./identity/identify.ts";
import type { Oidc } from "./identity/oidc.ts";
import type { Admission } from "./inbound/admission.ts";
import type { Metrics } from "./metrics.ts";
import type { OpenAnswers } from "./open-answers.ts";
import type { DeliveryLimits } from "./outbound/limits.ts";
import type { SocketOutbound } from "./outbound/socket.ts";
import type { Performer } from "./perform.ts";
import type { Clock, FloorStore, Ids, Outbound, PageFiles, Self } from "./ports.ts";
import type { Receiver } from "./receive.ts";
import type { Watcher } from "./watch.ts";

/** The live floor, as its transports see it. */
export type Running = {
  store: FloorStore;
  clock: Clock;
  ids: Ids;
  watcher: Watcher;
  metrics: Metrics;
  receiver: Receiver;
  /** How many envelopes that are posted get to the receiver at once. */
  admission: Admission;
  performer: Performer;
  outbounds: readonly Outbound[];
  /** Agents that connected to us. */
  sockets: SocketOutbound;
  openAnswers: OpenAnswers;
  /** Agents that live in this process. */
  hosted: Hosted;
  agents: AgentList;
  /** How agents are looked for, if at all. */
  discovery: Discovery | undefined;
  /** For people, if there is one. */
  page: PageFiles | undefined;
  self: () => Self;
  /** Whether nobody but this machine can connect to it. */
  isOnLoopback: () => boolean;
  /** The address others reach this floor at. */
  url: () => string;
  /** Known to this floor alone, and the same after a restart. */
  deliverySecret: () => string;
  door: Door;
  /** The operator's. */
  token: string;
  doorkeeper: Doorkeeper;
  identity: Identity;
  credentials: CredentialStore;
  /** Where people sign in, if anywhere. */
  oidc: Oidc | undefined;
  limits: DeliveryLimits;
  bodyBytesMax: number;
  doorLimits: DoorLimits;
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
