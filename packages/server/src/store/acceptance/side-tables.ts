import assert from "node:assert/strict";
import { invite } from "@plenary/protocol";
import { type FloorStore, feedbackPerSpeakerMax } from "../../ports/store.ts";
import { type AcceptanceCase, ann, bot, changeOf, envelopeDecision, now, openConversation } from "./fixture.ts";

const [trace, other] = ["a".repeat(32), "b".repeat(32)];
const later = "2026-01-01T00:00:01.000Z";

/** The required behaviour of every store for feedback. */
export const feedbackAcceptance: readonly AcceptanceCase[] = [
  {
    name: "feedback is stored by trace and speaker, and is in no conversation",
    async run(store) {
      await openConversation(store, "c");
      const floor = await store.load("c");
      const [one, two] = [
        { traceId: trace, by: ann, reaction: "thumbs_up", at: now },
        { traceId: trace, by: bot.speakerUri, comment: "no \u001b[2J", at: now },
      ];
      assert.deepEqual(await store.feedback([trace]), []);
      await store.keepFeedback(one);
      await store.keepFeedback(two);
      await store.keepFeedback({ ...one, traceId: other });
      assert.deepEqual(await store.feedback([trace]), [one, two]);
      assert.deepEqual(await store.feedback(["c".repeat(32), other]), [{ ...one, traceId: other }]);
      assert.deepEqual(await store.feedback([]), []);
      assert.deepEqual(await store.load("c"), floor);
    },
  },
  {
    name: "newer feedback of a speaker replaces the given fields and keeps the others",
    async run(store) {
      await store.keepFeedback({ traceId: trace, by: ann, reaction: "thumbs_up", at: now });
      await store.keepFeedback({ traceId: trace, by: ann, comment: "too long", at: later });
      const whole = { traceId: trace, by: ann, reaction: "thumbs_up", comment: "too long", at: later };
      assert.deepEqual(await store.feedback([trace]), [whole]);
      await store.keepFeedback({ traceId: trace, by: ann, reaction: "thumbs_down", at: later });
      assert.deepEqual(await store.feedback([trace]), [{ ...whole, reaction: "thumbs_down" }]);
    },
  },
  {
    name: "feedback with empty fields is deleted",
    async run(store) {
      await store.keepFeedback({ traceId: trace, by: ann, reaction: "thumbs_up", comment: "good", at: now });
      await store.keepFeedback({ traceId: trace, by: ann, comment: "", at: later });
      assert.deepEqual(await store.feedback([trace]), [{ traceId: trace, by: ann, reaction: "thumbs_up", at: later }]);
      await store.keepFeedback({ traceId: trace, by: ann, reaction: "", at: later });
      assert.deepEqual(await store.feedback([trace]), []);
    },
  },
  {
    name: "above the limit of a speaker, the oldest feedback of this speaker is deleted",
    async run(store) {
      const nth = (count: number) => count.toString(16).padStart(32, "0");
      await store.keepFeedback({ traceId: other, by: bot.speakerUri, reaction: "+", at: now });
      const all = Array.from({ length: feedbackPerSpeakerMax + 2 }, (_, count) => count + 1);
      await Promise.all(
        all.map((count) => store.keepFeedback({ traceId: nth(count), by: ann, reaction: "+", at: now })),
      );
      const left = await store.feedback([other, ...all.map(nth)]);
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
  const agents = await store.agents();
  return agents.toSorted((one, other) => one.serviceUrl.localeCompare(other.serviceUrl));
}

/** The required behaviour of every store for known agents and manifests. */
export const agentAcceptance: readonly AcceptanceCase[] = [
  {
    name: "agents are stored by address, and are in no conversation",
    async run(store) {
      assert.deepEqual(await store.agents(), []);
      await openConversation(store, "c");
      const floor = await store.load("c");
      await store.keepAgents({ kept: [echo, clock], forgotten: [] });
      assert.deepEqual(await kept(store), [clock, echo]);
      assert.deepEqual(await store.load("c"), floor);
      assert.equal((await store.entries("c", { after: 0, limit: 10 })).length, floor?.seq);
    },
  },
  {
    name: "the newest record of an agent replaces the older one, and a forgotten agent is deleted",
    async run(store) {
      await store.keepAgents({ kept: [echo, clock], forgotten: [] });
      const newer = { ...echo, known: '{"health":"failing"}' };
      await store.keepAgents({ kept: [newer], forgotten: [clock.serviceUrl, "http://nobody.example/"] });
      assert.deepEqual(await kept(store), [newer]);
      // In `forgotten` and `kept` of one call: it is kept.
      await store.keepAgents({ kept: [echo], forgotten: [echo.serviceUrl] });
      assert.deepEqual(await kept(store), [echo]);
    },
  },
  {
    name: "manifests are stored by key, the newest of each, apart from the agents",
    async run(store) {
      const [one, other] = [
        { key: "tag:a,2026:a http://a.example/", known: '{"name":"a"}' },
        { key: "tag:b,2026:b http://b.example/", known: '{"name":"b"}' },
      ];
      assert.deepEqual(await store.manifests(), []);
      await store.keepManifests({ kept: [one, other], forgotten: [] });
      const newer = { ...one, known: '{"name":"newer"}' };
      await store.keepManifests({ kept: [newer], forgotten: [other.key, "nobody", one.key] });
      assert.deepEqual(await store.manifests(), [newer]);
      assert.deepEqual(await store.agents(), []);
    },
  },
  {
    name: "a delivery keeps its first dialect, even when the agent's record changes",
    async run(store) {
      const floor = await openConversation(store, "c");
      const change = changeOf(envelopeDecision(floor, invite({ to: bot })));
      const deliveries = change.deliveries.map((effect) => ({ ...effect, dialect: "0.9" as const }));
      await store.append("c", { ...change, deliveries }, floor.seq);
      const pending = await store.pending();
      assert.deepEqual(
        pending.deliveries.map(({ effect }) => effect.dialect),
        ["0.9"],
      );
    },
  },
];
