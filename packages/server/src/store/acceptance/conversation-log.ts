import assert from "node:assert/strict";
import { fold } from "@plenary/floor";
import { bye, invite } from "@plenary/protocol";
import type { ListQuery } from "../../ports/conversation-log.ts";
import {
  type AcceptanceCase,
  ann,
  bot,
  changeOf,
  conversationWithUtterances,
  envelopeDecision,
  now,
  openConversation,
  openDecision,
  utterance,
} from "./fixture.ts";

/** The required behaviour of every conversation log. */
export const logAcceptance: readonly AcceptanceCase[] = [
  {
    name: "an unknown conversation has no floor, entries or utterances",
    async run(store) {
      assert.equal(await store.log.load("none"), undefined);
      assert.deepEqual(await store.log.entries("none", { after: 0, limit: 10 }), []);
      assert.equal(await store.log.floorAt("none", 1), undefined);
      assert.deepEqual(await store.lookups.whispersLike("none", []), []);
      assert.deepEqual(await store.lookups.seen("none", [{ sender: ann, dialogEventId: "x" }]), [[]]);
    },
  },
  {
    name: "an appended change is loaded unchanged, as plain data",
    async run(store) {
      const floor = await conversationWithUtterances(store, "c", 3);
      const loaded = await store.log.load("c");
      assert.deepEqual(loaded, floor);
      const entries = await store.log.entries("c", { after: 0, limit: 100 });
      assert.deepEqual(JSON.parse(JSON.stringify(entries)), entries);
      assert.deepEqual(fold("c", entries), floor);
    },
  },
  {
    name: "an append with another expected seq is a conflict and writes nothing",
    async run(store) {
      const floor = await openConversation(store, "c");
      const more = {
        dedupe: [{ sender: ann, dialogEventId: "late", hash: "h" }],
        timers: [{ id: "t", at: now, since: now }],
      };
      const decision = envelopeDecision(floor, invite({ to: bot }), utterance("late"));
      for (const expected of [0, floor.seq - 1, floor.seq + 1]) {
        if (expected === floor.seq) continue;
        assert.equal(await store.log.append("c", changeOf(decision, more), expected), "conflict");
      }
      assert.deepEqual(await store.log.load("c"), floor);
      assert.deepEqual(await store.lookups.seen("c", [{ sender: ann, dialogEventId: "late" }]), [[]]);
      assert.deepEqual(await store.outbox.pending(), { deliveries: [], timers: [] });
    },
  },
  {
    name: "exactly one of several concurrent appends with the same expected seq succeeds",
    async run(store) {
      const floor = await openConversation(store, "c");
      const racers = Array.from({ length: 20 }, (_, count) =>
        store.log.append("c", changeOf(envelopeDecision(floor, utterance(`racer ${count}`))), floor.seq),
      );
      const results = await Promise.all(racers);
      assert.equal(results.filter((result) => result === "appended").length, 1);
    },
  },
  {
    name: "the log is read in pages without gaps",
    async run(store) {
      const floor = await conversationWithUtterances(store, "c", 10);
      const seqs: number[] = [];
      for (let after = 0; after < floor.seq; after = seqs.at(-1) ?? floor.seq) {
        seqs.push(...(await store.log.entries("c", { after, limit: 4 })).map(({ seq }) => seq));
      }
      assert.deepEqual(
        seqs,
        Array.from({ length: floor.seq }, (_, index) => index + 1),
      );
      assert.deepEqual(await store.log.entries("c", { after: floor.seq, limit: 4 }), []);
    },
  },
  {
    name: "the floor at any entry is the fold up to it",
    async run(store) {
      const floor = await conversationWithUtterances(store, "c", 250);
      const entries = await store.log.entries("c", { after: 0, limit: 10_000 });
      for (let seq = 1; seq <= floor.seq; seq += 7) {
        assert.deepEqual(await store.log.floorAt("c", seq), fold("c", entries.slice(0, seq)));
      }
      assert.deepEqual(await store.log.floorAt("c", floor.seq), floor);
      assert.equal(await store.log.floorAt("c", floor.seq + 1), undefined);
      assert.equal(await store.log.floorAt("c", 0), undefined);
    },
  },
  {
    name: "a list shows which conversations are closed",
    async run(store) {
      for (const id of ["a", "b"]) await openConversation(store, id);
      const floor = await openConversation(store, "c");
      assert.equal(await store.log.append("c", changeOf(envelopeDecision(floor, bye())), floor.seq), "appended");
      const listed = (await store.log.list({ limit: 9 })).map(({ id, isClosed }) => [id, isClosed]);
      assert.deepEqual(listed, [
        ["a", false],
        ["b", false],
        ["c", true],
      ]);
    },
  },
  {
    name: "conversations are listed by id, in pages, and by speaker",
    async run(store) {
      for (const id of ["b", "c", "a"]) await openConversation(store, id);
      const ids = async (query: ListQuery) => (await store.log.list(query)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 2 }), ["a", "b"]);
      assert.deepEqual(await ids({ limit: 2, after: "b" }), ["c"]);
      assert.deepEqual(await ids({ limit: 9, speaker: ann }), ["a", "b", "c"]);
      assert.deepEqual(await ids({ limit: 9, speaker: "tag:nobody.example,2026:x" }), []);
      assert.equal(await store.log.count(), 3);
    },
  },
  {
    name: "a sub-floor is listed with its parent conversation, and found by it",
    async run(store) {
      await openConversation(store, "outer");
      for (const [id, parent] of [
        ["sub-1", "outer"],
        ["sub-2", "outer"],
        ["other", "sub-1"],
      ] as const) {
        assert.equal(await store.log.append(id, changeOf(openDecision(id, { parent })), 0), "appended");
      }
      const found = async (query: Partial<ListQuery>) =>
        (await store.log.list({ limit: 9, ...query })).map(({ id, parent }) => `${id} of ${parent}`);
      assert.deepEqual(await found({ parent: "outer" }), ["sub-1 of outer", "sub-2 of outer"]);
      assert.deepEqual(await found({ parent: "outer", speaker: ann, after: "sub-1" }), ["sub-2 of outer"]);
      assert.deepEqual(await found({ parent: "outer", speaker: "tag:nobody.example,2026:x" }), []);
      assert.deepEqual(await found({ parent: "sub-2" }), []);
      assert.deepEqual(await found({ after: "other" }), ["outer of undefined", "sub-1 of outer", "sub-2 of outer"]);
    },
  },
  {
    name: "the next decision sees an append at once, readers of the log when it is durable",
    async run(store) {
      const floor = await openConversation(store, "c");
      const first = envelopeDecision(floor, utterance("one"));
      const second = envelopeDecision(first.floor, utterance("two"));
      const writing = [
        store.log.append("c", changeOf(first), floor.seq),
        store.log.append("c", changeOf(second), first.floor.seq),
      ];
      assert.deepEqual(await store.log.load("c"), second.floor);
      assert.deepEqual(await Promise.all(writing), ["appended", "appended"]);
      const entries = await store.log.entries("c", { after: floor.seq, limit: 100 });
      assert.deepEqual(entries, [...first.entries, ...second.entries]);
    },
  },
];
