import assert from "node:assert/strict";
import type { FloorStore } from "../../ports/store.ts";
import type { WebhookDeadLetter } from "../../ports/webhook-store.ts";
import {
  type AcceptanceCase,
  changeOf,
  conversationWithUtterances,
  envelopeDecision,
  now,
  openConversation,
  utterance,
} from "./fixture.ts";

const letter = (webhook: string, id: string, more: Partial<WebhookDeadLetter> = {}): WebhookDeadLetter => ({
  webhook,
  id,
  conversationId: "c",
  seq: 3,
  failure: "it answered 500",
  at: now,
  ...more,
});

async function lettersOf(store: FloorStore, webhook: string, limit = 9): Promise<string[]> {
  return (await store.webhooks.webhookLetters({ webhook, limit })).map(({ id }) => id);
}

/** The required behaviour of every store for webhooks. */
export const webhookAcceptance: readonly AcceptanceCase[] = [
  {
    name: "webhooks are stored by id, the newest of each, and are in no conversation",
    async run(store) {
      await openConversation(store, "c");
      const floor = await store.log.load("c");
      assert.deepEqual(await store.webhooks.webhooks(), []);
      const [one, other] = [
        { id: "a", known: '{"url":"https://a.example/"}' },
        { id: "b", known: "{}" },
      ];
      await store.webhooks.keepWebhooks({ kept: [one, other], forgotten: [] });
      const newer = { ...one, known: '{"seq":7}' };
      await store.webhooks.keepWebhooks({ kept: [newer], forgotten: ["b", "nobody"] });
      assert.deepEqual(await store.webhooks.webhooks(), [newer]);
      assert.deepEqual(await store.log.load("c"), floor);
    },
  },
  {
    name: "dead letters of a webhook are listed by id, replaced, forgotten and swept",
    async run(store) {
      const all = [letter("a", "2"), letter("a", "1"), letter("a", "3"), letter("b", "2")];
      await store.webhooks.keepWebhookLetters({ kept: all, forgotten: [] });
      assert.deepEqual(await store.webhooks.webhookLetters({ webhook: "a", after: "1", limit: 1 }), [letter("a", "2")]);
      const newer = letter("a", "2", { failure: "it answered 404", at: "2026-01-02T00:00:00.000Z" });
      await store.webhooks.keepWebhookLetters({ kept: [newer], forgotten: [{ webhook: "a", id: "1" }] });
      assert.deepEqual(await store.webhooks.webhookLetters({ webhook: "a", limit: 9 }), [newer, letter("a", "3")]);
      await store.outbox.sweep({ deadLetters: "2026-01-01T12:00:00.000Z", requests: now });
      assert.deepEqual([await lettersOf(store, "a"), await lettersOf(store, "b")], [["2"], []]);
    },
  },
  {
    name: "a forgotten webhook loses its dead letters, and no other does",
    async run(store) {
      await store.webhooks.keepWebhookLetters({ kept: [letter("a", "1"), letter("b", "1")], forgotten: [] });
      await store.webhooks.keepWebhooks({ kept: [], forgotten: ["a"] });
      assert.deepEqual([await lettersOf(store, "a"), await lettersOf(store, "b")], [[], ["1"]]);
    },
  },
  {
    name: "the decisions of all conversations are listed in the order of their commits, without gaps or repeats",
    async run(store) {
      assert.deepEqual(
        [await store.webhooks.logEnd(), await store.webhooks.logRanges({ after: 0, limit: 9 })],
        [0, []],
      );
      const one = await conversationWithUtterances(store, "a", 1);
      const end = await store.webhooks.logEnd();
      const other = await openConversation(store, "b");
      const more = envelopeDecision(one, utterance("more"));
      await store.log.append("a", changeOf(more), one.seq);
      const ranges = await store.webhooks.logRanges({ after: end, limit: 9 });
      assert.deepEqual(
        ranges.map(({ conversationId, first, last }) => [conversationId, first, last]),
        [
          ["b", 1, other.seq],
          ["a", one.seq + 1, more.floor.seq],
        ],
      );
      assert.ok(ranges.every(({ position }, index) => position > (ranges[index - 1]?.position ?? end)));
      assert.equal(await store.webhooks.logEnd(), ranges.at(-1)?.position);
      assert.deepEqual(await store.webhooks.logRanges({ after: end, limit: 1 }), ranges.slice(0, 1));
    },
  },
];
