import type { DeliverEffect } from "@plenary/floor";
import type { Notifier } from "../conversation/notifier.ts";
import type { Receiver } from "../conversation/receive.ts";
import type { Redeliveries } from "../conversation/redeliveries.ts";
import type { DeliveryLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Outbound, Outcome } from "../ports/outbound.ts";
import type { Outbox } from "../ports/outbox.ts";
import type { Stop } from "../stop-signal.ts";
import type { DraftListener } from "./drafts.ts";
import type { RetryWrite } from "./retry-write.ts";

export type DeliveryJob = {
  id: string;
  key: string;
  /** The secret id that names it to its recipient. */
  webhookId: string;
  conversationId: string;
  effect: DeliverEffect;
  /** Fires when its answer is no longer wanted. */
  controller: Stop;
  /** Fires when it was stopped (D18). */
  stopped: Stop;
  /** The newest attempt was sent, and the recipient may have read it. */
  isSent: boolean;
  /** When it was stopped: it is still sent, but waits only briefly for its answer (D18). */
  stoppedAtMs: number | undefined;
  /** Called when it is stopped while it is running. */
  onStop: (() => void) | undefined;
  /** Ends the wait for an answer. */
  closeAnswer: () => void;
  isRedelivery: boolean;
  /** Resumed from the store after a restart: the earlier process may have sent it. */
  isRepeated: boolean;
};

type DeliveryPorts = {
  log: ConversationLog;
  outbox: Outbox;
  clock: Clock;
  metrics: Metrics;
  /** The first outbound that reaches an address is used. */
  outbounds: readonly Outbound[];
  limits: DeliveryLimits;
  onDraft: DraftListener;
  /** Called with the outcome of each delivery, before it is written. */
  onOutcome: (serviceUrl: string, outcome: Outcome) => void;
};

type DeliveryParts = {
  notifier: Notifier;
  receiver: Receiver;
  redeliveries: Redeliveries;
  retryWrite: RetryWrite;
  /** Reports a failure that no caller awaits. */
  onError: (error: unknown) => void;
};

/** The running deliveries. */
type DeliveryState = {
  /** Those that are retried after a failed first attempt. */
  retrying: Set<string>;
  /** Those whose answer was promised for later, each with a function that stops waiting. */
  promised: Map<string, () => void>;
  isClosing: boolean;
};

export type DeliveryContext = DeliveryPorts & DeliveryParts & DeliveryState;
