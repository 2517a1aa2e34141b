import assert from "node:assert/strict";
import { invite } from "@plenary/protocol";
import { type AcceptanceCase, bot, changeOf, envelopeDecision, now, openConversation, utterance } from "./fixture.ts";

/** The required behaviour of every store for deliveries, timers and dead letters. */
export const outboxAcceptance: readonly AcceptanceCase[] = [
  {
    name: "deliveries are pending until they are settled, timers until they have fired",
    async run(store) {
      const floor = await openConversation(store, "c");
      const decision = envelopeDecision(floor, invite({ to: bot }));
      await store.log.append("c", changeOf(decision, { timers: [{ id: "t", at: now, since: now }] }), floor.seq);
      const { deliveries, timers } = await store.outbox.pending();
      assert.deepEqual(
        deliveries.map(({ conversationId, effect }) => [conversationId, effect.to.speakerUri]),
        [["c", bot.speakerUri]],
      );
      assert.deepEqual(timers, [{ conversationId: "c", timer: { id: "t", at: now, since: now } }]);
      const [delivery] = deliveries;
      assert.ok(delivery);
      const settled = [delivery.effect.delivery];
      const nothing = { ...decision, entries: [], effects: [] };
      assert.equal(
        await store.log.append("c", changeOf(nothing, { settled, rung: ["t"] }), decision.floor.seq),
        "appended",
      );
      assert.deepEqual(await store.outbox.pending(), { deliveries: [], timers: [] });
    },
  },
  {
    name: "a delivery is settled without a decision",
    async run(store) {
      const floor = await openConversation(store, "c");
      await store.log.append("c", changeOf(envelopeDecision(floor, invite({ to: bot }))), floor.seq);
      for (const { effect } of (await store.outbox.pending()).deliveries)
        await store.outbox.settle("c", effect.delivery);
      assert.deepEqual((await store.outbox.pending()).deliveries, []);
    },
  },
  {
    name: "a pending delivery is the decided one, with the conversation section of that time",
    async run(store) {
      const floor = await openConversation(store, "c");
      const decision = envelopeDecision(floor, invite({ to: bot }), utterance("welcome"));
      await store.log.append("c", changeOf(decision), floor.seq);
      const after = envelopeDecision(decision.floor, utterance("more"));
      await store.log.append("c", changeOf(after), decision.floor.seq);
      const pending = (await store.outbox.pending()).deliveries.map(({ effect }) => effect);
      const decided = [...decision.effects, ...after.effects].filter(({ kind }) => kind === "deliver");
      assert.deepEqual(pending, decided);
    },
  },
  {
    name: "a failed delivery is a dead letter until it is redelivered or swept",
    async run(store) {
      const floor = await openConversation(store, "c");
      const decision = envelopeDecision(floor, invite({ to: bot }));
      await store.log.append("c", changeOf(decision), floor.seq);
      const [pending] = (await store.outbox.pending()).deliveries;
      assert.ok(pending);
      const { delivery } = pending.effect;
      const nothing = { ...decision, entries: [], effects: [] };
      const dead = [{ delivery, failure: "unreachable", detail: "no answer", at: now }];
      await store.log.append("c", changeOf(nothing, { settled: [delivery], dead }), decision.floor.seq);
      assert.deepEqual((await store.outbox.pending()).deliveries, []);
      const message = {
        conversationId: "c",
        effect: pending.effect,
        failure: "unreachable",
        detail: "no answer",
        at: now,
      };
      assert.deepEqual(await store.outbox.deadLetters({ limit: 10 }), [message]);
      assert.deepEqual(await store.outbox.deadLetters({ limit: 10, conversationId: "another" }), []);
      assert.deepEqual(await store.outbox.deadLetters({ limit: 10, after: { conversationId: "c", delivery } }), []);
      const key = { conversationId: "c", delivery };
      assert.deepEqual(await store.outbox.deadLetter(key), message);
      assert.equal(await store.outbox.redeliver({ conversationId: "c", delivery: "unknown" }), false);
      assert.equal(await store.outbox.redeliver(key), true);
      assert.equal(await store.outbox.redeliver(key), false);
      assert.deepEqual((await store.outbox.pending()).deliveries, [{ ...pending, isRedelivery: true }]);
      await store.log.append("c", changeOf(nothing, { settled: [delivery], dead }), decision.floor.seq);
      await store.outbox.sweep({ deadLetters: now, requests: now });
      assert.equal((await store.outbox.deadLetters({ limit: 10 })).length, 1);
      await store.outbox.sweep({ deadLetters: "2027-01-01T00:00:00.000Z", requests: now });
      assert.deepEqual(await store.outbox.deadLetters({ limit: 10 }), []);
    },
  },
  {
    name: "a delivery keeps its first dialect, even when the agent's record changes",
    async run(store) {
      const floor = await openConversation(store, "c");
      const change = changeOf(envelopeDecision(floor, invite({ to: bot })));
      const deliveries = change.deliveries.map((effect) => ({ ...effect, dialect: "0.9" as const }));
      await store.log.append("c", { ...change, deliveries }, floor.seq);
      const pending = await store.outbox.pending();
      assert.deepEqual(
        pending.deliveries.map(({ effect }) => effect.dialect),
        ["0.9"],
      );
    },
  },
];
