import { StoreError } from "../errors.ts";
import type { FloorStore } from "../ports/store.ts";

/** The same store; whatever it rejects with says whether asking again may help, and nothing about where things are kept. */
export function withStoreErrors(store: FloorStore): FloorStore {
  const tell = (cause: unknown): never => {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError("store-failed", "the store has failed", { retryable: true, cause });
  };
  return {
    load: (id) => store.load(id).catch(tell),
    append: (id, change, expectedSeq) => store.append(id, change, expectedSeq).catch(tell),
    entries: (id, range) => store.entries(id, range).catch(tell),
    floorAt: (id, seq) => store.floorAt(id, seq).catch(tell),
    list: (query) => store.list(query).catch(tell),
    count: () => store.count().catch(tell),
    seen: (id, utterances) => store.seen(id, utterances).catch(tell),
    whispersLike: (id, dialogEvents) => store.whispersLike(id, dialogEvents).catch(tell),
    hasSeen: (id, speaker) => store.hasSeen(id, speaker).catch(tell),
    boundTo: (claims) => store.boundTo(claims).catch(tell),
    request: (key) => store.request(key).catch(tell),
    settle: (id, delivery) => store.settle(id, delivery).catch(tell),
    pending: () => store.pending().catch(tell),
    deadLetters: (query) => store.deadLetters(query).catch(tell),
    deadLetter: (key) => store.deadLetter(key).catch(tell),
    revive: (key) => store.revive(key).catch(tell),
    sweep: (before) => store.sweep(before).catch(tell),
    keep: (name, initial) => store.keep(name, initial).catch(tell),
    agents: () => store.agents().catch(tell),
    keepAgents: (change) => store.keepAgents(change).catch(tell),
    manifests: () => store.manifests().catch(tell),
    keepManifests: (change) => store.keepManifests(change).catch(tell),
    feedback: (traceIds) => store.feedback(traceIds).catch(tell),
    keepFeedback: (feedback) => store.keepFeedback(feedback).catch(tell),
    ...(store.figures && { figures: store.figures }),
    ready: () => store.ready().catch(tell),
    close: () => store.close(),
  };
}
