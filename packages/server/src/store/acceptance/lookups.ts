import assert from "node:assert/strict";
import type { DialogEvent } from "@plenary/protocol";
import {
  type AcceptanceCase,
  ann,
  bot,
  changeOf,
  conversationWithUtterances,
  envelopeDecision,
  now,
  openConversation,
  seatDecision,
  utterance,
} from "./fixture.ts";

/** The required behaviour of the lookups of every store. */
export const lookupAcceptance: readonly AcceptanceCase[] = [
  {
    name: "an utterance is found by sender and id, with the hash of every content",
    async run(store) {
      const floor = await openConversation(store, "c");
      const keys = ["h1", "h2"].map((hash) => ({ sender: ann, dialogEventId: "u", hash }));
      await store.log.append("c", changeOf(envelopeDecision(floor, utterance("u")), { dedupe: keys }), floor.seq);
      const asked = [
        { sender: ann, dialogEventId: "u" },
        { sender: bot.speakerUri, dialogEventId: "u" },
        { sender: ann, dialogEventId: "v" },
      ];
      assert.deepEqual(await store.lookups.seen("c", asked), [["h1", "h2"], [], []]);
    },
  },
  {
    name: "whispers are found by id, or by speaker and text, with equal public utterances",
    async run(store) {
      let floor = await conversationWithUtterances(store, "c", 3);
      const seated = seatDecision(floor);
      await store.log.append("c", changeOf(seated), floor.seq);
      floor = seated.floor;
      const secret = { ...utterance("a secret"), to: { speakerUri: bot.speakerUri, private: true } };
      for (const event of [secret, utterance("a secret", "in public"), utterance("nothing else")]) {
        const decision = envelopeDecision(floor, event);
        await store.log.append("c", changeOf(decision), floor.seq);
        floor = decision.floor;
      }
      const like = async (one: ReturnType<typeof utterance>) => {
        const dialogEvents: DialogEvent[] = [one.parameters.dialogEvent];
        return (await store.lookups.whispersLike(floor.id, dialogEvents)).length;
      };
      assert.equal(await like(utterance("something else", "a secret")), 1);
      assert.equal(await like(utterance("a secret", "another id")), 2);
      assert.equal(await like(utterance("word 2", "another id")), 0);
      assert.equal(await like(utterance("something else", "word 1")), 0);
    },
  },
  {
    name: "a request with an idempotency key is stored with its range in the log until it is swept",
    async run(store) {
      const floor = await openConversation(store, "c");
      const name = { caller: "operator", key: "k1" };
      assert.equal(await store.lookups.request(name), undefined);
      const decision = envelopeDecision(floor, utterance("once"));
      const request = { ...name, hash: "h", at: now };
      await store.log.append("c", changeOf(decision, { request }), floor.seq);
      const record = await store.lookups.request(name);
      assert.equal(record?.conversationId, "c");
      assert.equal(record?.hash, "h");
      assert.equal(record?.first, floor.seq + 1);
      assert.equal(record?.last, decision.floor.seq);
      assert.equal(await store.lookups.request({ ...name, caller: "another" }), undefined);
      await store.outbox.sweep({ deadLetters: now, requests: "2027-01-01T00:00:00.000Z" });
      assert.equal(await store.lookups.request(name), undefined);
    },
  },
];
