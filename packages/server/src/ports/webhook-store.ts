/** A webhook with its progress. `known` is opaque text of the webhook engine. */
export type StoredWebhook = { id: string; known: string };

/** An entry that a webhook could not deliver; the log has its content. `id` is its `webhook-id`. */
export type WebhookDeadLetter = {
  webhook: string;
  id: string;
  conversationId: string;
  seq: number;
  failure: string;
  at: string;
};

/** The entries of one decision, and its position among the decisions of all conversations. */
export type LogRange = { position: number; conversationId: string; first: number; last: number };

/** Not part of the logs of conversations. */
export interface WebhookStore {
  webhooks(): Promise<readonly StoredWebhook[]>;
  /** Atomic. A forgotten webhook loses its dead letters. */
  keepWebhooks(change: { kept: readonly StoredWebhook[]; forgotten: readonly string[] }): Promise<void>;
  /** Ordered by id, after `after`. `Outbox.sweep` deletes old ones. */
  webhookLetters(query: { webhook: string; after?: string; limit: number }): Promise<readonly WebhookDeadLetter[]>;
  keepWebhookLetters(change: {
    kept: readonly WebhookDeadLetter[];
    forgotten: readonly Pick<WebhookDeadLetter, "webhook" | "id">[];
  }): Promise<void>;
  /** Durable decisions in the order of their commits, after position `after`, at most `limit`. */
  logRanges(query: { after: number; limit: number }): Promise<readonly LogRange[]>;
  /** The position of the last durable decision; 0 when there is none. */
  logEnd(): Promise<number>;
}
