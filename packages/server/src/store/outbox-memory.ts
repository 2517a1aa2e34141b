import type { Timer } from "../ports/conversation-log.ts";
import type { DeadLetter, DeadLetterKey, Outbox, PendingDelivery, PendingWork } from "../ports/outbox.ts";
import type { MemoryWebhooks } from "./webhook-memory.ts";

/** The outbox of one conversation. */
export type StoredOutbox = {
  outbox: Map<string, PendingDelivery>;
  timers: Map<string, Timer>;
  dead: Map<string, DeadLetter>;
};

type Conversations = ReadonlyMap<string, StoredOutbox>;
type Requests = Map<string, { at: string }>;

type OutboxState = { conversations: Conversations; requests: Requests } & Pick<MemoryWebhooks, "sweepLetters">;

export function createMemoryOutbox({ conversations, requests, sweepLetters }: OutboxState): Outbox {
  return {
    async settle(id, delivery) {
      conversations.get(id)?.outbox.delete(delivery);
    },
    pending: async () => pendingOf(conversations),
    deadLetters: async (query) => deadLettersIn(conversations, query),
    deadLetter: async ({ conversationId, delivery }) => conversations.get(conversationId)?.dead.get(delivery),
    async redeliver({ conversationId, delivery }) {
      const kept = conversations.get(conversationId);
      const letter = kept?.dead.get(delivery);
      if (kept === undefined || letter === undefined) return false;
      kept.dead.delete(delivery);
      kept.outbox.set(delivery, { conversationId, effect: letter.effect, isRedelivery: true });
      return true;
    },
    async sweep(before) {
      sweepLetters(before.deadLetters);
      sweepOld(conversations, requests, before);
    },
  };
}

function pendingOf(conversations: Conversations): PendingWork {
  const all = [...conversations];
  return {
    deliveries: all.flatMap(([, { outbox }]) => [...outbox.values()]),
    timers: all.flatMap(([conversationId, { timers }]) =>
      [...timers.values()].map((timer) => ({ conversationId, timer })),
    ),
  };
}

function deadLettersIn(
  conversations: Conversations,
  { after, limit, conversationId }: { after?: DeadLetterKey; limit: number; conversationId?: string },
): DeadLetter[] {
  const ids = conversationId === undefined ? [...conversations.keys()].sort() : [conversationId];
  const letters = ids.flatMap((id) => {
    const dead = conversations.get(id)?.dead;
    return [...(dead?.keys() ?? [])].sort().flatMap((delivery) => dead?.get(delivery) ?? []);
  });
  const from = after === undefined ? 0 : letters.findIndex((letter) => isBehind(letter, after));
  return from < 0 ? [] : letters.slice(from, from + limit);
}

function isBehind({ conversationId, effect }: DeadLetter, after: DeadLetterKey): boolean {
  if (conversationId !== after.conversationId) return conversationId > after.conversationId;
  return effect.delivery > after.delivery;
}

function sweepOld(
  conversations: Conversations,
  requests: Requests,
  before: { deadLetters: string; requests: string },
): void {
  for (const [name, { at }] of requests) if (at < before.requests) requests.delete(name);
  for (const { dead } of conversations.values()) {
    for (const [delivery, { at }] of dead) if (at < before.deadLetters) dead.delete(delivery);
  }
}
