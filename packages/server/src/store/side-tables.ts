import {
  type Feedback,
  type FeedbackStore,
  feedbackMax,
  feedbackPerSpeakerMax,
  mergedFeedback,
} from "../ports/feedback-store.ts";
import type { FloorStore } from "../ports/store.ts";

/** Tables beside the logs. */
export function createMemoryTables(): Pick<FloorStore, "agents" | "catalogue" | "feedback"> {
  const agents = new Map<string, string>();
  const manifests = new Map<string, string>();
  return {
    agents: {
      agents: async () => [...agents].map(([serviceUrl, known]) => ({ serviceUrl, known })),
      async keepAgents({ kept, forgotten }) {
        for (const serviceUrl of forgotten) agents.delete(serviceUrl);
        for (const { serviceUrl, known } of kept) agents.set(serviceUrl, known);
      },
    },
    catalogue: {
      manifests: async () => [...manifests].map(([key, known]) => ({ key, known })),
      async keepManifests({ kept, forgotten }) {
        for (const key of forgotten) manifests.delete(key);
        for (const { key, known } of kept) manifests.set(key, known);
      },
    },
    feedback: createMemoryFeedback(),
  };
}

function createMemoryFeedback(): FeedbackStore {
  // Ordered by last update.
  const kept = new Map<string, Feedback>();
  const trim = (matches: (one: Feedback) => boolean, max: number) => {
    const keys = [...kept].flatMap(([key, one]) => (matches(one) ? [key] : []));
    for (const key of keys.slice(0, Math.max(0, keys.length - max))) kept.delete(key);
  };
  return {
    async keepFeedback(given) {
      const key = JSON.stringify([given.traceId, given.by]);
      const merged = mergedFeedback(kept.get(key), given);
      kept.delete(key);
      if (merged === undefined) return;
      kept.set(key, merged);
      trim(({ by }) => by === given.by, feedbackPerSpeakerMax);
      if (kept.size > feedbackMax) trim(() => true, feedbackMax);
    },
    async feedback(traceIds) {
      const wanted = new Set(traceIds);
      return [...kept.values()].filter(({ traceId }) => wanted.has(traceId));
    },
  };
}
