import type { DeliverEffect } from "@plenary/floor";

/** Deliveries under way again after the floor had given them up, by conversation and delivery. */
export type Revived = {
  find(conversationId: string, delivery: string): DeliverEffect | undefined;
  begin(conversationId: string, effect: DeliverEffect): void;
  end(conversationId: string, delivery: string): void;
};

export function createRevived(): Revived {
  const underWay = new Map<string, DeliverEffect>();
  const keyOf = (conversationId: string, delivery: string) => JSON.stringify([conversationId, delivery]);
  return {
    // Mostly there are none, and every answer that comes on its own asks.
    find: (conversationId, delivery) =>
      underWay.size === 0 ? undefined : underWay.get(keyOf(conversationId, delivery)),
    begin: (conversationId, effect) => underWay.set(keyOf(conversationId, effect.delivery), effect),
    end: (conversationId, delivery) => underWay.delete(keyOf(conversationId, delivery)),
  };
}
