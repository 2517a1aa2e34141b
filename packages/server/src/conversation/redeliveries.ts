import type { DeliverEffect } from "@plenary/floor";

/** Dead letters being redelivered, by conversation and delivery. */
export type Redeliveries = {
  find(conversationId: string, delivery: string): DeliverEffect | undefined;
  begin(conversationId: string, effect: DeliverEffect): void;
  end(conversationId: string, delivery: string): void;
};

export function createRedeliveries(): Redeliveries {
  const running = new Map<string, DeliverEffect>();
  const keyOf = (conversationId: string, delivery: string) => JSON.stringify([conversationId, delivery]);
  return {
    // Usually empty, and looked up for every answer that arrives by its own request.
    find: (conversationId, delivery) => (running.size === 0 ? undefined : running.get(keyOf(conversationId, delivery))),
    begin: (conversationId, effect) => running.set(keyOf(conversationId, effect.delivery), effect),
    end: (conversationId, delivery) => running.delete(keyOf(conversationId, delivery)),
  };
}
