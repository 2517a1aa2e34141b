import type { CatalogueStore } from "@plenary/sdk";
import type { AgentStore } from "./agent-store.ts";
import type { ConversationLog } from "./conversation-log.ts";
import type { FeedbackStore } from "./feedback-store.ts";
import type { Lookups } from "./lookups.ts";
import type { Outbox } from "./outbox.ts";
import type { Settings } from "./settings.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** All that a floor stores, as one port per purpose. */
export type FloorStore = {
  log: ConversationLog;
  lookups: Lookups;
  outbox: Outbox;
  settings: Settings;
  agents: AgentStore;
  catalogue: CatalogueStore;
  feedback: FeedbackStore;
  webhooks: WebhookStore;
  /** The versions before and after, when the store was migrated as it was opened. */
  migrated?: { from: number; to: number };
  /** Figures for monitoring, by kind. */
  figures?(): Readonly<Record<string, number>>;
  /** Writes a probe; resolves when it is durable, rejects when the store cannot write. */
  ready(): Promise<void>;
  close(): Promise<void>;
};
