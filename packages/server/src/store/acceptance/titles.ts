import assert from "node:assert/strict";
import { decide, type Floor } from "@plenary/floor";
import { envelope, invite } from "@plenary/protocol";
import type { FloorStore } from "../../ports/store.ts";
import {
  type AcceptanceCase,
  afterCommand,
  ann,
  bot,
  changeOf,
  envelopeDecision,
  now,
  openConversation,
  openDecision,
  seatDecision,
} from "./fixture.ts";

async function openTitled(store: FloorStore, id: string, title: string): Promise<Floor> {
  const decision = openDecision(id, { title });
  assert.equal(await store.log.append(id, changeOf(decision), 0), "appended");
  return decision.floor;
}

/** The title of each conversation, for the operator or for a speaker. */
export async function titles(store: FloorStore, speaker?: string): Promise<(string | undefined)[]> {
  const listed = await store.log.list({ limit: 9, ...(speaker !== undefined && { speaker }) });
  return listed.map(({ title }) => title);
}

/** The required behaviour of every store for titles. */
export const titleAcceptance: readonly AcceptanceCase[] = [
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
      assert.ok((await store.log.list({ limit: 9 })).every((one) => one.title !== undefined || !("title" in one)));
    },
  },
  {
    name: "a later conversant sees the title, one that left the title of that time, one that returns the newest",
    async run(store) {
      const floor = await openTitled(store, "c", "Birds");
      const seated = seatDecision(floor);
      await store.log.append("c", changeOf(seated), floor.seq);
      const seen = () => titles(store, bot.speakerUri);
      assert.deepEqual(await seen(), ["Birds"]);
      const { speakerUri } = bot;
      const alone = await afterCommand(store, seated.floor, { verb: "remove", speakerUri });
      const renamed = await afterCommand(store, alone, { verb: "title", title: "Bees" });
      assert.deepEqual([await seen(), await titles(store), await titles(store, ann)], [["Birds"], ["Bees"], ["Bees"]]);
      const untitled = await afterCommand(store, renamed, { verb: "title" });
      assert.deepEqual(await seen(), ["Birds"]);
      const back = seatDecision(untitled);
      await store.log.append("c", changeOf(back), untitled.seq);
      assert.deepEqual(await seen(), [undefined]);
    },
  },
  {
    name: "a renamed conversant sees the title under its new name too",
    async run(store) {
      const floor = await openTitled(store, "c", "Birds");
      const inviting = envelopeDecision(floor, invite({ to: { serviceUrl: bot.serviceUrl } }));
      await store.log.append("c", changeOf(inviting), floor.seq);
      const delivery = inviting.floor.open[0]?.id ?? "";
      const reply = envelope({ conversation: { id: "c" }, sender: bot, events: [] });
      const joining = decide(inviting.floor, { kind: "answer", delivery, envelope: reply }, now);
      await store.log.append("c", changeOf(joining), inviting.floor.seq);
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
      assert.equal(await store.log.append("c", changeOf(decision), floor.seq + 1), "conflict");
      assert.deepEqual(await titles(store), ["Birds"]);
    },
  },
];
