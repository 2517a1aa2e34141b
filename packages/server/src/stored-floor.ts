import { randomBytes } from "node:crypto";
import { keepHostedMark } from "./agents/hosted.ts";
import type { FloorServerOptions, FloorServerPorts } from "./options.ts";
import type { StoredAgent } from "./ports/agent-store.ts";
import { type Clock, newToken, systemClock } from "./ports/clock.ts";
import type { Logger } from "./ports/logger.ts";
import type { PendingWork } from "./ports/outbox.ts";
import type { StoredWebhook } from "./ports/webhook-store.ts";
import { withStoreErrors } from "./store/errors.ts";

/** What a floor needs from its store before it serves anything. */
export type StoredFloor = {
  speakerUri: string;
  /** Stored: an agent may answer a delivery after a restart. */
  deliverySecret: string;
  /** Part of the speakerUri of hosted agents. */
  hostedMark: string | undefined;
  agents: readonly StoredAgent[];
  webhooks: readonly StoredWebhook[];
  /** The work that the process before left. */
  pending: PendingWork;
};

type StoredFloorPorts = Pick<FloorServerPorts, "store" | "clock"> & { logger: Logger };

export async function readStoredFloor(ports: StoredFloorPorts, options: FloorServerOptions): Promise<StoredFloor> {
  const store = withStoreErrors(ports.store);
  const { agents, log, outbox, settings, webhooks } = store;
  await store.ready();
  if (store.migrated !== undefined) ports.logger.info("store migrated", store.migrated);
  const speakerUri = await keepOwnName(ports, options);
  return {
    speakerUri,
    hostedMark: await keepHostedMark({ log, settings }, speakerUri),
    deliverySecret: await settings.keep("deliverySecret", newToken()),
    agents: await agents.agents(),
    webhooks: await webhooks.webhooks(),
    pending: await outbox.pending(),
  };
}

/**
 * The floor's own speakerUri, created at the first start and stored. Its random part distinguishes floors at the same
 * address on different machines (D39). Conversants know the floor by it, so a speakerUri given later does not replace it.
 */
async function keepOwnName(
  { store: { settings }, clock = systemClock, logger }: StoredFloorPorts,
  given: FloorServerOptions,
): Promise<string> {
  const kept = await settings.keep("speakerUri", given.speakerUri ?? uniqueName(given.publicUrl, clock));
  if (given.speakerUri !== undefined && given.speakerUri !== kept) {
    logger.warn("the given speakerUri is not used, because the store belongs to another floor", {
      speakerUri: kept,
      given: given.speakerUri,
      fix: "leave it out (--speaker, PLENARY_SPEAKER_URI), or start with another store",
    });
  }
  return kept;
}

function uniqueName(publicUrl: string | undefined, clock: Clock): string {
  const host = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
  const year = new Date(clock.now()).getUTCFullYear();
  return `tag:${host},${year}:plenary-${randomBytes(6).toString("hex")}`;
}
