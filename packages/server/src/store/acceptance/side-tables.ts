import assert from "node:assert/strict";
import { feedbackPerSpeakerMax } from "../../ports/feedback-store.ts";
import type { FloorStore } from "../../ports/store.ts";
import { type AcceptanceCase, ann, bot, now, openConversation } from "./fixture.ts";

const [trace, other] = ["a".repeat(32), "b".repeat(32)];
const later = "2026-01-01T00:00:01.000Z";

/** The required behaviour of every store for feedback. */
export const feedbackAcceptance: readonly AcceptanceCase[] = [
  {
    name: "feedback is stored by trace and speaker, and is in no conversation",
    async run(store) {
      await openConversation(store, "c");
      const floor = await store.log.load("c");
      const [one, two] = [
        { traceId: trace, by: ann, reaction: "thumbs_up", at: now },
        { traceId: trace, by: bot.speakerUri, comment: "no \u001b[2J", at: now },
      ];
      assert.deepEqual(await store.feedback.feedback([trace]), []);
      await store.feedback.keepFeedback(one);
      await store.feedback.keepFeedback(two);
      await store.feedback.keepFeedback({ ...one, traceId: other });
      assert.deepEqual(await store.feedback.feedback([trace]), [one, two]);
      assert.deepEqual(await store.feedback.feedback(["c".repeat(32), other]), [{ ...one, traceId: other }]);
      assert.deepEqual(await store.feedback.feedback([]), []);
      assert.deepEqual(await store.log.load("c"), floor);
    },
  },
  {
    name: "newer feedback of a speaker replaces the given fields and keeps the others",
    async run(store) {
      await store.feedback.keepFeedback({ traceId: trace, by: ann, reaction: "thumbs_up", at: now });
      await store.feedback.keepFeedback({ traceId: trace, by: ann, comment: "too long", at: later });
      const whole = { traceId: trace, by: ann, reaction: "thumbs_up", comment: "too long", at: later };
      assert.deepEqual(await store.feedback.feedback([trace]), [whole]);
      await store.feedback.keepFeedback({ traceId: trace, by: ann, reaction: "thumbs_down", at: later });
      assert.deepEqual(await store.feedback.feedback([trace]), [{ ...whole, reaction: "thumbs_down" }]);
    },
  },
  {
    name: "feedback with empty fields is deleted",
    async run(store) {
      await store.feedback.keepFeedback({ traceId: trace, by: ann, reaction: "thumbs_up", comment: "good", at: now });
      await store.feedback.keepFeedback({ traceId: trace, by: ann, comment: "", at: later });
      assert.deepEqual(await store.feedback.feedback([trace]), [
        { traceId: trace, by: ann, reaction: "thumbs_up", at: later },
      ]);
      await store.feedback.keepFeedback({ traceId: trace, by: ann, reaction: "", at: later });
      assert.deepEqual(await store.feedback.feedback([trace]), []);
    },
  },
  {
    name: "above the limit of a speaker, the oldest feedback of this speaker is deleted",
    async run(store) {
      const nth = (count: number) => count.toString(16).padStart(32, "0");
      await store.feedback.keepFeedback({ traceId: other, by: bot.speakerUri, reaction: "+", at: now });
      const all = Array.from({ length: feedbackPerSpeakerMax + 2 }, (_, count) => count + 1);
      await Promise.all(
        all.map((count) => store.feedback.keepFeedback({ traceId: nth(count), by: ann, reaction: "+", at: now })),
      );
      const left = await store.feedback.feedback([other, ...all.map(nth)]);
      assert.equal(left.length, feedbackPerSpeakerMax + 1);
      assert.deepEqual(
        left.slice(0, 2).map(({ traceId }) => traceId),
        [other, nth(3)],
      );
    },
  },
];

const echo = { serviceUrl: "http://echo.example/", known: '{"health":"answering"}' };
const clock = { serviceUrl: "http://clock.example/", known: '{"health":"silent","name":"\\u001b[2J"}' };

async function kept(store: FloorStore) {
  const agents = await store.agents.agents();
  return agents.toSorted((one, other) => one.serviceUrl.localeCompare(other.serviceUrl));
}

/** The required behaviour of every store for known agents. */
export const agentAcceptance: readonly AcceptanceCase[] = [
  {
    name: "agents are stored by address, and are in no conversation",
    async run(store) {
      assert.deepEqual(await store.agents.agents(), []);
      await openConversation(store, "c");
      const floor = await store.log.load("c");
      await store.agents.keepAgents({ kept: [echo, clock], forgotten: [] });
      assert.deepEqual(await kept(store), [clock, echo]);
      assert.deepEqual(await store.log.load("c"), floor);
      assert.equal((await store.log.entries("c", { after: 0, limit: 10 })).length, floor?.seq);
    },
  },
  {
    name: "the newest record of an agent replaces the older one, and a forgotten agent is deleted",
    async run(store) {
      await store.agents.keepAgents({ kept: [echo, clock], forgotten: [] });
      const newer = { ...echo, known: '{"health":"failing"}' };
      await store.agents.keepAgents({ kept: [newer], forgotten: [clock.serviceUrl, "http://nobody.example/"] });
      assert.deepEqual(await kept(store), [newer]);
      // In `forgotten` and `kept` of one call: it is kept.
      await store.agents.keepAgents({ kept: [echo], forgotten: [echo.serviceUrl] });
      assert.deepEqual(await kept(store), [echo]);
    },
  },
];

/** The required behaviour of every store for manifests. */
export const catalogueAcceptance: readonly AcceptanceCase[] = [
  {
    name: "manifests are stored by key, the newest of each, apart from the agents",
    async run(store) {
      const [one, other] = [
        { key: "tag:a,2026:a http://a.example/", known: '{"name":"a"}' },
        { key: "tag:b,2026:b http://b.example/", known: '{"name":"b"}' },
      ];
      assert.deepEqual(await store.catalogue.manifests(), []);
      await store.catalogue.keepManifests({ kept: [one, other], forgotten: [] });
      const newer = { ...one, known: '{"name":"newer"}' };
      await store.catalogue.keepManifests({ kept: [newer], forgotten: [other.key, "nobody", one.key] });
      assert.deepEqual(await store.catalogue.manifests(), [newer]);
      assert.deepEqual(await store.agents.agents(), []);
    },
  },
];

/** The required behaviour of every store for settings. */
export const settingAcceptance: readonly AcceptanceCase[] = [
  {
    name: "a setting keeps its first value",
    async run(store) {
      assert.equal(await store.settings.keep("name", "first"), "first");
      assert.equal(await store.settings.keep("name", "second"), "first");
    },
  },
];
