import assert from "node:assert/strict";
import { invite } from "@plenary/protocol";
import { type AcceptanceCase, bot, changeOf, envelopeDecision, now, openConversation, utterance } from "./fixture.ts";

/** The required behaviour of every store for deliveries, timers, dead letters and idempotency keys. */
export const outboxAcceptance: readonly AcceptanceCase[] = [
  {
    name: "deliveries are pending until they are settled, timers until they have fired",
    async run(store) {
      const floor = await openConversation(store, "c");
      const decision = envelopeDecision(floor, invite({ to: bot }));
      await store.append("c", changeOf(decision, { timers: [{ id: "t", at: now, since: now }] }), floor.seq);
      const { deliveries, timers } = await store.pending();
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
        await store.append("c", changeOf(nothing, { settled, rung: ["t"] }), decision.floor.seq),
        "appended",
      );
      assert.deepEqual(await store.pending(), { deliveries: [], timers: [] });
    },
  },
  {
    name: "a delivery is settled without a decision",
    async run(store) {
      const floor = await openConversation(store, "c");
      await store.append("c", changeOf(envelopeDecision(floor, invite({ to: bot }))), floor.seq);
      for (const { effect } of (await store.pending()).deliveries) await store.settle("c", effect.delivery);
      assert.deepEqual((await store.pending()).deliveries, []);
    },
  },
  {
    name: "a pending delivery is the decided one, with the conversation section of that time",
    async run(store) {
      const floor = await openConversation(store, "c");
      const decision = envelopeDecision(floor, invite({ to: bot }), utterance("welcome"));
      await store.append("c", changeOf(decision), floor.seq);
      const after = envelopeDecision(decision.floor, utterance("more"));
      await store.append("c", changeOf(after), decision.floor.seq);
      const pending = (await store.pending()).deliveries.map(({ effect }) => effect);
      const decided = [...decision.effects, ...after.effects].filter(({ kind }) => kind === "deliver");
      assert.deepEqual(pending, decided);
    },
  },
  {
    name: "a failed delivery is a dead letter until it is redelivered or swept",
    async run(store) {
      const floor = await openConversation(store, "c");
      const decision = envelopeDecision(floor, invite({ to: bot }));
      await store.append("c", changeOf(decision), floor.seq);
      const [pending] = (await store.pending()).deliveries;
      assert.ok(pending);
      const { delivery } = pending.effect;
      const nothing = { ...decision, entries: [], effects: [] };
      const dead = [{ delivery, failure: "unreachable", detail: "no answer", at: now }];
      await store.append("c", changeOf(nothing, { settled: [delivery], dead }), decision.floor.seq);
      assert.deepEqual((await store.pending()).deliveries, []);
      const message = {
        conversationId: "c",
        effect: pending.effect,
        failure: "unreachable",
        detail: "no answer",
        at: now,
      };
      assert.deepEqual(await store.deadLetters({ limit: 10 }), [message]);
      assert.deepEqual(await store.deadLetters({ limit: 10, conversationId: "another" }), []);
      assert.deepEqual(await store.deadLetters({ limit: 10, after: { conversationId: "c", delivery } }), []);
      const key = { conversationId: "c", delivery };
      assert.deepEqual(await store.deadLetter(key), message);
      assert.equal(await store.redeliver({ conversationId: "c", delivery: "unknown" }), false);
      assert.equal(await store.redeliver(key), true);
      assert.equal(await store.redeliver(key), false);
      assert.deepEqual((await store.pending()).deliveries, [{ ...pending, isRedelivery: true }]);
      await store.append("c", changeOf(nothing, { settled: [delivery], dead }), decision.floor.seq);
      await store.sweep({ deadLetters: now, requests: now });
      assert.equal((await store.deadLetters({ limit: 10 })).length, 1);
      await store.sweep({ deadLetters: "2027-01-01T00:00:00.000Z", requests: now });
      assert.deepEqual(await store.deadLetters({ limit: 10 }), []);
    },
  },
  {
    name: "a request with an idempotency key is stored with its range in the log until it is swept",
    async run(store) {
      const floor = await openConversation(store, "c");
      const name = { caller: "operator", key: "k1" };
      assert.equal(await store.request(name), undefined);
      const decision = envelopeDecision(floor, utterance("once"));
      const request = { ...name, hash: "h", at: now };
      await store.append("c", changeOf(decision, { request }), floor.seq);
      const record = await store.request(name);
      assert.equal(record?.conversationId, "c");
      assert.equal(record?.hash, "h");
      assert.equal(record?.first, floor.seq + 1);
      assert.equal(record?.last, decision.floor.seq);
      assert.equal(await store.request({ ...name, caller: "another" }), undefined);
      await store.sweep({ deadLetters: now, requests: "2027-01-01T00:00:00.000Z" });
      assert.equal(await store.request(name), undefined);
    },
  },
  {
    name: "the next decision sees an append at once, readers of the log when it is durable",
    async run(store) {
      const floor = await openConversation(store, "c");
      const first = envelopeDecision(floor, utterance("one"));
      const second = envelopeDecision(first.floor, utterance("two"));
      const writing = [
        store.append("c", changeOf(first), floor.seq),
        store.append("c", changeOf(second), first.floor.seq),
      ];
      assert.deepEqual(await store.load("c"), second.floor);
      assert.deepEqual(await Promise.all(writing), ["appended", "appended"]);
      const entries = await store.entries("c", { after: floor.seq, limit: 100 });
      assert.deepEqual(entries, [...first.entries, ...second.entries]);
    },
  },
];
