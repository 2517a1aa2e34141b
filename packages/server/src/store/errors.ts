import { StoreError } from "../errors.ts";
import type { FloorStore } from "../ports/store.ts";

/** Wraps a store: every rejection becomes a `StoreError` with `retryable` and without paths. */
export function withStoreErrors(store: FloorStore): FloorStore {
  const fail = (cause: unknown): never => {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError("store-failed", "the store has failed", { retryable: true, cause });
  };
  return {
    load: (id) => store.load(id).catch(fail),
    append: (id, change, expectedSeq) => store.append(id, change, expectedSeq).catch(fail),
    entries: (id, range) => store.entries(id, range).catch(fail),
    floorAt: (id, seq) => store.floorAt(id, seq).catch(fail),
    list: (query) => store.list(query).catch(fail),
    count: () => store.count().catch(fail),
    seen: (id, utterances) => store.seen(id, utterances).catch(fail),
    whispersLike: (id, dialogEvents) => store.whispersLike(id, dialogEvents).catch(fail),
    hasSeen: (id, speaker) => store.hasSeen(id, speaker).catch(fail),
    boundTo: (claims) => store.boundTo(claims).catch(fail),
    request: (key) => store.request(key).catch(fail),
    settle: (id, delivery) => store.settle(id, delivery).catch(fail),
    pending: () => store.pending().catch(fail),
    deadLetters: (query) => store.deadLetters(query).catch(fail),
    deadLetter: (key) => store.deadLetter(key).catch(fail),
    redeliver: (key) => store.redeliver(key).catch(fail),
    sweep: (before) => store.sweep(before).catch(fail),
    keep: (name, initial) => store.keep(name, initial).catch(fail),
    agents: () => store.agents().catch(fail),
    keepAgents: (change) => store.keepAgents(change).catch(fail),
    manifests: () => store.manifests().catch(fail),
    keepManifests: (change) => store.keepManifests(change).catch(fail),
    feedback: (traceIds) => store.feedback(traceIds).catch(fail),
    keepFeedback: (feedback) => store.keepFeedback(feedback).catch(fail),
    webhooks: () => store.webhooks().catch(fail),
    keepWebhooks: (change) => store.keepWebhooks(change).catch(fail),
    webhookLetters: (query) => store.webhookLetters(query).catch(fail),
    keepWebhookLetters: (change) => store.keepWebhookLetters(change).catch(fail),
    logRanges: (query) => store.logRanges(query).catch(fail),
    logEnd: () => store.logEnd().catch(fail),
    ...(store.figures && { figures: store.figures }),
    ready: () => store.ready().catch(fail),
    close: () => store.close(),
  };
}
