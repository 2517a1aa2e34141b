import type { DeliverEffect } from "@plenary/floor";
import type { Timer } from "./conversation-log.ts";

/** A delivery that failed for good. */
export type DeadLetter = {
  conversationId: string;
  effect: DeliverEffect;
  failure: string;
  detail: string;
  at: string;
};

export type DeadLetterKey = { conversationId: string; delivery: string };

export type PendingDelivery = {
  conversationId: string;
  effect: DeliverEffect;
  /** A dead letter that is redelivered: its answer belongs to no turn any more. */
  isRedelivery?: true;
};

/** Work that was not finished when the process ended. */
export type PendingWork = {
  deliveries: readonly PendingDelivery[];
  timers: readonly { conversationId: string; timer: Timer }[];
};

/** Deliveries and timers that are not finished, and dead letters. `ConversationLog.append` adds to them. */
export interface Outbox {
  /** Removes a delivery that needs no answer. If this call is lost, the delivery is repeated. */
  settle(conversationId: string, delivery: string): Promise<void>;
  pending(): Promise<PendingWork>;
  /** Ordered by conversation and delivery, after `after`. */
  deadLetters(query: { after?: DeadLetterKey; limit: number; conversationId?: string }): Promise<readonly DeadLetter[]>;
  deadLetter(key: DeadLetterKey): Promise<DeadLetter | undefined>;
  /** Moves a dead letter back to the outbox. False when there is none. */
  redeliver(key: DeadLetterKey): Promise<boolean>;
  /** Deletes dead letters, of deliveries and of webhooks, and requests older than these times. */
  sweep(before: { deadLetters: string; requests: string }): Promise<void>;
}
