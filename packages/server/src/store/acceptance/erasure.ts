import assert from "node:assert/strict";
import { type Decision, decide, type Entry, type Floor, fold } from "@plenary/floor";
import { type FloorEvent, invite } from "@plenary/protocol";
import type { Change } from "../../ports/conversation-log.ts";
import type { FloorStore } from "../../ports/store.ts";
import {
  type AcceptanceCase,
  ann,
  bot,
  changeOf,
  envelopeDecision,
  now,
  openConversation,
  seatDecision,
  utterance,
} from "./fixture.ts";

const secret = "TOP-SECRET";

function eraseDecision(floor: Floor, seq: number): Decision {
  return decide(floor, { kind: "command", command: { verb: "erase", seq }, by: "operator" }, now);
}

async function append(store: FloorStore, decision: Decision, more: Partial<Change> = {}): Promise<Floor> {
  const expected = decision.floor.seq - decision.entries.length;
  assert.equal(await store.log.append(decision.floor.id, changeOf(decision, more), expected), "appended");
  return decision.floor;
}

async function all(store: FloorStore): Promise<readonly Entry[]> {
  return store.log.entries("c", { after: 0, limit: 10_000 });
}

/** A conversation of two speakers with these events, one decision each. */
async function conversationWith(store: FloorStore, ...events: FloorEvent[][]): Promise<Floor> {
  let floor = await append(store, seatDecision(await openConversation(store, "c")));
  for (const group of events) floor = await append(store, envelopeDecision(floor, ...group));
  return floor;
}

function entryWith(entries: readonly Entry[], text: string, kind = "event"): Entry {
  const found = entries.find((entry) => entry.kind === kind && JSON.stringify(entry).includes(text));
  assert.ok(found, `no ${kind} with ${text}`);
  return found;
}

/** The required behaviour of every store for erasure (D35). */
export const erasureAcceptance: readonly AcceptanceCase[] = [
  {
    name: "erased content is removed from the log, and the rest of the log is unchanged",
    async run(store) {
      const floor = await conversationWith(
        store,
        [utterance("before")],
        [utterance(secret, "s"), utterance("beside it")],
        [utterance("after")],
      );
      const before = await all(store);
      const { seq } = entryWith(before, secret);
      const erased = await append(store, eraseDecision(floor, seq));
      const after = await all(store);
      assert.ok(!JSON.stringify(after).includes(secret));
      assert.deepEqual(fold("c", after), erased);
      assert.deepEqual(await store.log.load("c"), erased);
      for (const entry of before) {
        const now = after[entry.seq - 1];
        if (!JSON.stringify(entry).includes(secret)) assert.deepEqual(now, entry);
        assert.deepEqual(Object.keys(now ?? {}), Object.keys(entry));
      }
      assert.ok(JSON.stringify(after[seq - 1]).includes('"id":"s"'));
      assert.ok(JSON.stringify(after).includes("beside it"));
    },
  },
  {
    name: "the floor at any earlier entry is the same after an erasure",
    async run(store) {
      const words = Array.from({ length: 220 }, (_, count) => [
        utterance(count === 3 ? secret : `word ${count}`, `w${count}`),
      ]);
      const floor = await conversationWith(store, ...words);
      const floors = await Promise.all(Array.from({ length: floor.seq }, (_, at) => store.log.floorAt("c", at + 1)));
      await append(store, eraseDecision(floor, entryWith(await all(store), secret).seq));
      for (const [at, one] of floors.entries()) assert.deepEqual(await store.log.floorAt("c", at + 1), one);
      assert.ok(!JSON.stringify(await all(store)).includes(secret));
    },
  },
  {
    name: "the content is also erased from its envelope, and a second erasure changes nothing",
    async run(store) {
      let floor = await conversationWith(store, [utterance(secret, "s"), utterance("beside it", "b")]);
      const received = entryWith(await all(store), secret, "received");
      floor = await append(store, eraseDecision(floor, received.seq));
      const once = await all(store);
      assert.ok(!JSON.stringify(once).includes(secret));
      // Erasing the envelope erases all its events.
      assert.ok(!JSON.stringify(once).includes("beside it"));
      floor = await append(store, eraseDecision(floor, received.seq));
      assert.deepEqual((await all(store)).slice(0, -1), once);
      assert.deepEqual(fold("c", await all(store)), floor);
    },
  },
  {
    name: "an utterance in the history of an invite is erased there too",
    async run(store) {
      const quoted = utterance(secret, "s").parameters.dialogEvent;
      const newcomer = { speakerUri: "tag:new.example,2026:new", serviceUrl: "http://new.example/" };
      const asking = { ...invite({ to: newcomer }), parameters: { dialogHistory: [quoted] } };
      const floor = await conversationWith(store, [utterance(secret, "s")], [asking]);
      await append(store, eraseDecision(floor, entryWith(await all(store), secret).seq));
      assert.ok(!JSON.stringify(await all(store)).includes(secret));
      assert.ok(!JSON.stringify(await store.outbox.pending()).includes(secret));
    },
  },
  {
    name: "the content is erased from pending deliveries and dead letters",
    async run(store) {
      let floor = await conversationWith(
        store,
        [utterance(secret, "s"), utterance("beside it")],
        [utterance("another")],
      );
      const [pending] = (await store.outbox.pending()).deliveries;
      assert.ok(pending);
      const { delivery } = pending.effect;
      const dead = [{ delivery, failure: "unreachable", detail: "no answer", at: now }];
      const more = envelopeDecision(floor, utterance("once more"));
      floor = await append(store, more, { settled: [delivery], dead });
      assert.ok(JSON.stringify(await store.outbox.deadLetters({ limit: 10 })).includes(secret));
      await append(store, eraseDecision(floor, entryWith(await all(store), secret).seq));
      const [message] = await store.outbox.deadLetters({ limit: 10 });
      assert.ok(!JSON.stringify(message).includes(secret));
      assert.ok(JSON.stringify(message).includes("beside it"));
      await store.outbox.redeliver({ conversationId: "c", delivery });
      assert.ok(!JSON.stringify(await store.outbox.pending()).includes(secret));
    },
  },
  {
    name: "an erased utterance is still known by its id",
    async run(store) {
      let floor = await conversationWith(store);
      const dedupe = [{ sender: ann, dialogEventId: "s", hash: "h" }];
      const whisper = { ...utterance(secret, "s"), to: { speakerUri: bot.speakerUri, private: true } };
      floor = await append(store, envelopeDecision(floor, whisper), { dedupe });
      await append(store, eraseDecision(floor, entryWith(await all(store), secret).seq));
      assert.deepEqual(await store.lookups.seen("c", dedupe), [["h"]]);
      const like = async (text: string, id: string) =>
        (await store.lookups.whispersLike("c", [utterance(text, id).parameters.dialogEvent])).map((entry) =>
          JSON.stringify(entry),
        );
      const known = await like("?", "s");
      assert.deepEqual([known.length, known[0]?.includes(secret)], [1, false]);
      // A caller that gives the text knows it: the same text under another id is still a whisper (D16).
      const [found] = await like(secret, "another");
      assert.ok(found?.includes(secret));
      assert.deepEqual(await like("nothing of it", "another"), []);
    },
  },
  {
    name: "another utterance with the same id stays",
    async run(store) {
      const floor = await conversationWith(store, [utterance("first", "same")], [utterance(secret, "same")]);
      await append(store, eraseDecision(floor, entryWith(await all(store), secret).seq));
      const log = JSON.stringify(await all(store));
      assert.ok(log.includes("first"));
      assert.ok(!log.includes(secret));
    },
  },
  {
    name: "the reason of an event without utterance is erased, and the rest is plain data",
    async run(store) {
      const floor = await conversationWith(store, [{ eventType: "requestFloor", reason: secret }]);
      await append(store, eraseDecision(floor, entryWith(await all(store), secret).seq));
      const left = await all(store);
      assert.ok(!JSON.stringify(left).includes(secret));
      assert.deepEqual(JSON.parse(JSON.stringify(left)), left);
    },
  },
];
