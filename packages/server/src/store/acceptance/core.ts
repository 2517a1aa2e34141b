import assert from "node:assert/strict";
import { decide, type Floor, fold } from "@plenary/floor";
import { bye, type DialogEvent, envelope, invite } from "@plenary/protocol";
import type { FloorStore } from "../../ports/store.ts";
import { bindingAcceptance } from "./bindings.ts";
import { erasureAcceptance } from "./erasure.ts";
import {
  type AcceptanceCase,
  afterCommand,
  ann,
  bot,
  changeOf,
  conversationWithUtterances,
  envelopeDecision,
  now,
  openConversation,
  openDecision,
  seatDecision,
  utterance,
} from "./fixture.ts";
import { outboxAcceptance } from "./outbox.ts";
import { agentAcceptance, feedbackAcceptance } from "./side-tables.ts";
import { webhookAcceptance } from "./webhooks.ts";

async function openTitled(store: FloorStore, id: string, title: string): Promise<Floor> {
  const decision = openDecision(id, { title });
  assert.equal(await store.append(id, changeOf(decision), 0), "appended");
  return decision.floor;
}

/** The title of each conversation, for the operator or for a speaker. */
export async function titles(store: FloorStore, speaker?: string): Promise<(string | undefined)[]> {
  const listed = await store.list({ limit: 9, ...(speaker !== undefined && { speaker }) });
  return listed.map(({ title }) => title);
}

/** The required behaviour of every store for titles. */
const titleAcceptance: readonly AcceptanceCase[] = [
  {
    name: "a title is listed until it is removed, whether it was set at the opening or later",
    async run(store) {
      const first = await openTitled(store, "a", "Birds");
      const second = await openConversation(store, "b");
      for (const reader of [undefined, ann]) assert.deepEqual(await titles(store, reader), ["Birds", undefined]);
      const named = await afterCommand(store, second, { verb: "title", title: "Bees" });
      for (const reader of [undefined, ann]) assert.deepEqual(await titles(store, reader), ["Birds", "Bees"]);
      await afterCommand(store, first, { verb: "title", title: "More birds" });
      await afterCommand(store, named, { verb: "title" });
      for (const reader of [undefined, ann]) assert.deepEqual(await titles(store, reader), ["More birds", undefined]);
      assert.ok((await store.list({ limit: 9 })).every((one) => one.title !== undefined || !("title" in one)));
    },
  },
  {
    name: "a later conversant sees the title, one that left the title of that time, one that returns the newest",
    async run(store) {
      const floor = await openTitled(store, "c", "Birds");
      const seated = seatDecision(floor);
      await store.append("c", changeOf(seated), floor.seq);
      const seen = () => titles(store, bot.speakerUri);
      assert.deepEqual(await seen(), ["Birds"]);
      const { speakerUri } = bot;
      const alone = await afterCommand(store, seated.floor, { verb: "remove", speakerUri });
      const renamed = await afterCommand(store, alone, { verb: "title", title: "Bees" });
      assert.deepEqual([await seen(), await titles(store), await titles(store, ann)], [["Birds"], ["Bees"], ["Bees"]]);
      const untitled = await afterCommand(store, renamed, { verb: "title" });
      assert.deepEqual(await seen(), ["Birds"]);
      const back = seatDecision(untitled);
      await store.append("c", changeOf(back), untitled.seq);
      assert.deepEqual(await seen(), [undefined]);
    },
  },
  {
    name: "a renamed conversant sees the title under its new name too",
    async run(store) {
      const floor = await openTitled(store, "c", "Birds");
      const inviting = envelopeDecision(floor, invite({ to: { serviceUrl: bot.serviceUrl } }));
      await store.append("c", changeOf(inviting), floor.seq);
      const delivery = inviting.floor.open[0]?.id ?? "";
      const reply = envelope({ conversation: { id: "c" }, sender: bot, events: [] });
      const joining = decide(inviting.floor, { kind: "answer", delivery, envelope: reply }, now);
      await store.append("c", changeOf(joining), inviting.floor.seq);
      assert.ok(joining.entries.some(({ kind }) => kind === "renamed"));
      assert.deepEqual(await titles(store, bot.speakerUri), ["Birds"]);
    },
  },
  {
    name: "a title whose append was a conflict is not listed",
    async run(store) {
      const floor = await openTitled(store, "c", "Birds");
      const decision = decide(
        floor,
        { kind: "command", command: { verb: "title", title: "Bees" }, by: "operator" },
        now,
      );
      assert.equal(await store.append("c", changeOf(decision), floor.seq + 1), "conflict");
      assert.deepEqual(await titles(store), ["Birds"]);
    },
  },
];

/** The required behaviour of every store. */
export const storeAcceptance: readonly AcceptanceCase[] = [
  {
    name: "an unknown conversation has no floor, entries or utterances",
    async run(store) {
      assert.equal(await store.load("none"), undefined);
      assert.deepEqual(await store.entries("none", { after: 0, limit: 10 }), []);
      assert.equal(await store.floorAt("none", 1), undefined);
      assert.deepEqual(await store.whispersLike("none", []), []);
      assert.deepEqual(await store.seen("none", [{ sender: ann, dialogEventId: "x" }]), [[]]);
    },
  },
  {
    name: "an appended change is loaded unchanged, as plain data",
    async run(store) {
      const floor = await conversationWithUtterances(store, "c", 3);
      const loaded = await store.load("c");
      assert.deepEqual(loaded, floor);
      const entries = await store.entries("c", { after: 0, limit: 100 });
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
        assert.equal(await store.append("c", changeOf(decision, more), expected), "conflict");
      }
      assert.deepEqual(await store.load("c"), floor);
      assert.deepEqual(await store.seen("c", [{ sender: ann, dialogEventId: "late" }]), [[]]);
      assert.deepEqual(await store.pending(), { deliveries: [], timers: [] });
    },
  },
  {
    name: "exactly one of several concurrent appends with the same expected seq succeeds",
    async run(store) {
      const floor = await openConversation(store, "c");
      const racers = Array.from({ length: 20 }, (_, count) =>
        store.append("c", changeOf(envelopeDecision(floor, utterance(`racer ${count}`))), floor.seq),
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
      const floor = await conversationWithUtterances(store, "c", 250);
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
    name: "an utterance is found by sender and id, with the hash of every content",
    async run(store) {
      const floor = await openConversation(store, "c");
      const keys = ["h1", "h2"].map((hash) => ({ sender: ann, dialogEventId: "u", hash }));
      await store.append("c", changeOf(envelopeDecision(floor, utterance("u")), { dedupe: keys }), floor.seq);
      const asked = [
        { sender: ann, dialogEventId: "u" },
        { sender: bot.speakerUri, dialogEventId: "u" },
        { sender: ann, dialogEventId: "v" },
      ];
      assert.deepEqual(await store.seen("c", asked), [["h1", "h2"], [], []]);
    },
  },
  {
    name: "whispers are found by id, or by speaker and text, with equal public utterances",
    async run(store) {
      let floor = await conversationWithUtterances(store, "c", 3);
      const seated = seatDecision(floor);
      await store.append("c", changeOf(seated), floor.seq);
      floor = seated.floor;
      const secret = { ...utterance("a secret"), to: { speakerUri: bot.speakerUri, private: true } };
      for (const event of [secret, utterance("a secret", "in public"), utterance("nothing else")]) {
        const decision = envelopeDecision(floor, event);
        await store.append("c", changeOf(decision), floor.seq);
        floor = decision.floor;
      }
      const like = async (one: ReturnType<typeof utterance>) => {
        const dialogEvents: DialogEvent[] = [one.parameters.dialogEvent];
        return (await store.whispersLike(floor.id, dialogEvents)).length;
      };
      assert.equal(await like(utterance("something else", "a secret")), 1);
      assert.equal(await like(utterance("a secret", "another id")), 2);
      assert.equal(await like(utterance("word 2", "another id")), 0);
      assert.equal(await like(utterance("something else", "word 1")), 0);
    },
  },
  {
    name: "a list shows which conversations are closed",
    async run(store) {
      for (const id of ["a", "b"]) await openConversation(store, id);
      const floor = await openConversation(store, "c");
      assert.equal(await store.append("c", changeOf(envelopeDecision(floor, bye())), floor.seq), "appended");
      const listed = (await store.list({ limit: 9 })).map(({ id, isClosed }) => [id, isClosed]);
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
      const ids = async (query: Parameters<FloorStore["list"]>[0]) => (await store.list(query)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 2 }), ["a", "b"]);
      assert.deepEqual(await ids({ limit: 2, after: "b" }), ["c"]);
      assert.deepEqual(await ids({ limit: 9, speaker: ann }), ["a", "b", "c"]);
      assert.deepEqual(await ids({ limit: 9, speaker: "tag:nobody.example,2026:x" }), []);
      assert.equal(await store.count(), 3);
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
        assert.equal(await store.append(id, changeOf(openDecision(id, { parent })), 0), "appended");
      }
      const found = async (query: Partial<Parameters<FloorStore["list"]>[0]>) =>
        (await store.list({ limit: 9, ...query })).map(({ id, parent }) => `${id} of ${parent}`);
      assert.deepEqual(await found({ parent: "outer" }), ["sub-1 of outer", "sub-2 of outer"]);
      assert.deepEqual(await found({ parent: "outer", speaker: ann, after: "sub-1" }), ["sub-2 of outer"]);
      assert.deepEqual(await found({ parent: "outer", speaker: "tag:nobody.example,2026:x" }), []);
      assert.deepEqual(await found({ parent: "sub-2" }), []);
      assert.deepEqual(await found({ after: "other" }), ["outer of undefined", "sub-1 of outer", "sub-2 of outer"]);
    },
  },
  {
    name: "a setting keeps its first value",
    async run(store) {
      assert.equal(await store.keep("name", "first"), "first");
      assert.equal(await store.keep("name", "second"), "first");
    },
  },
  ...titleAcceptance,
  ...bindingAcceptance,
  ...outboxAcceptance,
  ...erasureAcceptance,
  ...agentAcceptance,
  ...feedbackAcceptance,
  ...webhookAcceptance,
];
