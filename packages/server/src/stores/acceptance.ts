import assert from "node:assert/strict";
import { type Decision, decide, defaultOptions, emptyFloor, type Floor, fold, type Input } from "@plenary/floor";
import { type DialogEvent, envelope, type FloorEvent, invite, textUtterance } from "@plenary/protocol";
import type { Change, FloorStore } from "../ports.ts";

/** What every store promises, told without a test runner. */
export type AcceptanceCase = { name: string; run: (store: FloorStore) => Promise<void> };

const ann = "tag:ann.example,2026:ann";
const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const now = "2026-01-01T00:00:00.000Z";

function changeOf({ floor, entries, effects }: Decision, more: Partial<Change> = {}): Change {
  const deliveries = effects.filter((effect) => effect.kind === "deliver");
  const timers = effects.filter((effect) => effect.kind === "timer").map(({ id, at }) => ({ id, at }));
  return { floor, entries, deliveries, timers, dedupe: [], settled: [], rung: [], ...more };
}

function opening(id: string): Decision {
  const owner = { speakerUri: ann, serviceUrl: "", organization: "", conversationalName: "Ann", synopsis: "" };
  const self = { speakerUri: "tag:floor.example,2026:floor" };
  const command = { verb: "open", self, owner, options: defaultOptions } as const;
  return decide(emptyFloor(id), { kind: "command", command, by: "operator" }, now);
}

function saying(floor: Floor, ...events: FloorEvent[]): Decision {
  const input: Input = {
    kind: "envelope",
    envelope: envelope({ conversation: { id: floor.id }, sender: { speakerUri: ann }, events }),
  };
  return decide(floor, input, now);
}

const word = (text: string, id = text) => textUtterance(text, { speakerUri: ann, id, startTime: now });

async function opened(store: FloorStore, id: string): Promise<Floor> {
  const decision = opening(id);
  assert.equal(await store.append(id, changeOf(decision), 0), "appended");
  return decision.floor;
}

async function grown(store: FloorStore, id: string, words: number): Promise<Floor> {
  let floor = await opened(store, id);
  for (let count = 0; count < words; count += 1) {
    const decision = saying(floor, word(`word ${count}`));
    assert.equal(await store.append(id, changeOf(decision), floor.seq), "appended");
    floor = decision.floor;
  }
  return floor;
}

export const storeAcceptance: readonly AcceptanceCase[] = [
  {
    name: "of a conversation that was never begun there is nothing",
    async run(store) {
      assert.equal(await store.load("none"), undefined);
      assert.deepEqual(await store.entries("none", { after: 0, limit: 10 }), []);
      assert.equal(await store.floorAt("none", 1), undefined);
      assert.deepEqual(await store.utterancesLike("none", []), []);
      assert.deepEqual(await store.seen("none", [{ sender: ann, dialogEventId: "x" }]), [[]]);
    },
  },
  {
    name: "what was appended is what is loaded, as plain data",
    async run(store) {
      const floor = await grown(store, "c", 3);
      const loaded = await store.load("c");
      assert.deepEqual(loaded, floor);
      const entries = await store.entries("c", { after: 0, limit: 100 });
      assert.deepEqual(JSON.parse(JSON.stringify(entries)), entries);
      assert.deepEqual(fold("c", entries), floor);
    },
  },
  {
    name: "an append that expects another seq is a conflict and leaves nothing",
    async run(store) {
      const floor = await opened(store, "c");
      const more = { dedupe: [{ sender: ann, dialogEventId: "late", hash: "h" }], timers: [{ id: "t", at: now }] };
      const decision = saying(floor, invite({ to: bot }), word("late"));
      for (const expected of [0, floor.seq - 1, floor.seq + 1]) {
        if (expected === floor.seq) continue;
        assert.equal(await store.append("c", changeOf(decision, more), expected), "conflict");
      }
      assert.deepEqual(await store.load("c"), floor);
      assert.deepEqual(await store.seen("c", [{ sender: ann, dialogEventId: "late" }]), [[]]);
      assert.deepEqual(await store.pending(), { deliveries: [], timers: [] });
    },
  },
  {
    name: "of appends that race for one place exactly one wins",
    async run(store) {
      const floor = await opened(store, "c");
      const racers = Array.from({ length: 20 }, (_, count) =>
        store.append("c", changeOf(saying(floor, word(`racer ${count}`))), floor.seq),
      );
      const results = await Promise.all(racers);
      assert.equal(results.filter((result) => result === "appended").length, 1);
    },
  },
  {
    name: "the log is read in pages without gaps",
    async run(store) {
      const floor = await grown(store, "c", 10);
      const seqs: number[] = [];
      for (let after = 0; after < floor.seq; after = seqs.at(-1) ?? floor.seq) {
        seqs.push(...(await store.entries("c", { after, limit: 4 })).map(({ seq }) => seq));
      }
      assert.deepEqual(
        seqs,
        Array.from({ length: floor.seq }, (_, index) => index + 1),
      );
      assert.deepEqual(await store.entries("c", { after: floor.seq, limit: 4 }), []);
    },
  },
  {
    name: "the floor at any entry is the fold up to it",
    async run(store) {
      const floor = await grown(store, "c", 250);
      const entries = await store.entries("c", { after: 0, limit: 10_000 });
      for (let seq = 1; seq <= floor.seq; seq += 7) {
        assert.deepEqual(await store.floorAt("c", seq), fold("c", entries.slice(0, seq)));
      }
      assert.deepEqual(await store.floorAt("c", floor.seq), floor);
      assert.equal(await store.floorAt("c", floor.seq + 1), undefined);
      assert.equal(await store.floorAt("c", 0), undefined);
    },
  },
  {
    name: "an utterance is known by sender and id, with every content it had",
    async run(store) {
      const floor = await opened(store, "c");
      const keys = ["h1", "h2"].map((hash) => ({ sender: ann, dialogEventId: "u", hash }));
      await store.append("c", changeOf(saying(floor, word("u")), { dedupe: keys }), floor.seq);
      const asked = [
        { sender: ann, dialogEventId: "u" },
        { sender: bot.speakerUri, dialogEventId: "u" },
        { sender: ann, dialogEventId: "v" },
      ];
      assert.deepEqual(await store.seen("c", asked), [["h1", "h2"], [], []]);
    },
  },
  {
    name: "utterances are found by id, or by speaker and text",
    async run(store) {
      const floor = await grown(store, "c", 3);
      const like = async (one: FloorEvent & { eventType: "utterance" }) => {
        const dialogEvents: DialogEvent[] = [one.parameters.dialogEvent];
        return (await store.utterancesLike(floor.id, dialogEvents)).length;
      };
      assert.equal(await like(word("something else", "word 1")), 1);
      assert.equal(await like(word("word 2", "another id")), 1);
      assert.equal(await like(word("something else")), 0);
    },
  },
  {
    name: "deliveries are pending until they are settled, timers until they have rung",
    async run(store) {
      const floor = await opened(store, "c");
      const decision = saying(floor, invite({ to: bot }));
      await store.append("c", changeOf(decision, { timers: [{ id: "t", at: now }] }), floor.seq);
      const { deliveries, timers } = await store.pending();
      assert.deepEqual(
        deliveries.map(({ conversationId, effect }) => [conversationId, effect.to.speakerUri]),
        [["c", bot.speakerUri]],
      );
      assert.deepEqual(timers, [{ conversationId: "c", timer: { id: "t", at: now } }]);
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
    name: "a delivery that was cut short is settled by itself",
    async run(store) {
      const floor = await opened(store, "c");
      await store.append("c", changeOf(saying(floor, invite({ to: bot }))), floor.seq);
      for (const { effect } of (await store.pending()).deliveries) await store.settle("c", effect.delivery);
      assert.deepEqual((await store.pending()).deliveries, []);
    },
  },
  {
    name: "conversations are listed by id, in pages, and by who may see something there",
    async run(store) {
      for (const id of ["b", "c", "a"]) await opened(store, id);
      const ids = async (query: Parameters<FloorStore["list"]>[0]) => (await store.list(query)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 2 }), ["a", "b"]);
      assert.deepEqual(await ids({ limit: 2, after: "b" }), ["c"]);
      assert.deepEqual(await ids({ limit: 9, speaker: ann }), ["a", "b", "c"]);
      assert.deepEqual(await ids({ limit: 9, speaker: "tag:nobody.example,2026:x" }), []);
      assert.equal(await store.count(), 3);
    },
  },
  {
    name: "a setting keeps its first value",
    async run(store) {
      assert.equal(await store.keep("name", "first"), "first");
      assert.equal(await store.keep("name", "second"), "first");
    },
  },
];
