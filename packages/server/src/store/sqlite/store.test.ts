import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { invite } from "@plenary/protocol";
import Database from "better-sqlite3";
import { afterEach, describe, expect, test } from "vitest";
import type { Change } from "../../ports/conversation-log.ts";
import type { FloorStore } from "../../ports/store.ts";
import { takeBack } from "../../testing/frozen-store.ts";
import {
  afterCommand,
  ann,
  bot,
  changeOf,
  conversationWithUtterances,
  envelopeDecision,
  now,
  openConversation,
  openDecision,
  utterance,
} from "../acceptance/fixture.ts";
import { storeAcceptance } from "../acceptance/store.ts";
import { titles } from "../acceptance/titles.ts";
import { createSqliteStore } from "./store.ts";
import { verifySqlite } from "./verify.ts";

const folders: string[] = [];
const stores: FloorStore[] = [];

function fresh() {
  const folder = mkdtempSync(join(tmpdir(), "plenary-store-"));
  folders.push(folder);
  return join(folder, "floor.db");
}

function open(...parameters: Parameters<typeof createSqliteStore>): FloorStore {
  const store = createSqliteStore(...parameters);
  stores.push(store);
  return store;
}

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe("the SQLite store", () => {
  for (const { name, run } of storeAcceptance) test(name, () => run(open(fresh())));
});

describe("the SQLite store with a cache of one conversation", () => {
  for (const { name, run } of storeAcceptance) test(name, () => run(open(fresh(), { cachedMax: 1 })));
});

test("a conversation and its lookups are returned without a promise", async () => {
  const file = fresh();
  const before = open(file);
  const floor = await openConversation(before, "c");
  await before.close();
  stores.pop();
  const store = open(file);
  // The first read is from the file, the second from memory.
  for (const _ of [1, 2]) expect(store.log.load("c")).toEqual(floor);
  expect(store.lookups.seen("c", [{ sender: ann, dialogEventId: "u" }])).toEqual([[]]);
  expect(store.lookups.request({ caller: "operator", key: "k" })).toBeUndefined();
});

test("utterances of a long conversation are found by id before and after their rows move to the tables", async () => {
  const file = fresh();
  const before = open(file);
  let floor = await openConversation(before, "c");
  const say = async (store: FloorStore, dedupe: Change["dedupe"]) => {
    const decision = envelopeDecision(floor, utterance("a word", `de:${floor.seq}`));
    const appended = store.log.append("c", changeOf(decision, { dedupe }), floor.seq);
    floor = decision.floor;
    expect(await appended).toBe("appended");
  };
  const keyOf = (dialogEventId: string, hash = "h") => ({ sender: ann, dialogEventId, hash });
  // With this many, all lookups read the tables once the file was opened again.
  await say(
    before,
    Array.from({ length: 5_000 }, (_, index) => keyOf(`old ${index}`)),
  );
  await before.close();
  stores.pop();
  const store = open(file);
  const seen = (...ids: string[]) =>
    store.lookups.seen(
      "c",
      ids.map((dialogEventId) => ({ sender: ann, dialogEventId })),
    );
  expect(seen("old 4999", "u", "v", "w")).toEqual([["h"], [], [], []]);
  await say(store, [keyOf("u", "h1"), keyOf("u", "h2"), keyOf("v")]);
  expect(seen("u", "v", "w")).toEqual([["h1", "h2"], ["h"], []]);
  await say(store, [keyOf("u", "h3"), { ...keyOf("w"), sender: bot.speakerUri }]);
  expect(seen("u", "v", "w")).toEqual([["h1", "h2", "h3"], ["h"], []]);
  // Reads of the outbox move all rows to the tables.
  await store.outbox.pending();
  expect(seen("u", "v", "w")).toEqual([["h1", "h2", "h3"], ["h"], []]);
  await say(store, [keyOf("w")]);
  expect(seen("u", "v", "w")).toEqual([["h1", "h2", "h3"], ["h"], ["h"]]);
});

test("entries and pending work are there after the file was opened again", async () => {
  const file = fresh();
  const before = open(file);
  const floor = await conversationWithUtterances(before, "c", 450);
  const decision = envelopeDecision(floor, invite({ to: bot }));
  await before.log.append("c", changeOf(decision, { timers: [{ id: "held:1", at: now, since: now }] }), floor.seq);
  const entries = await before.log.entries("c", { after: 0, limit: 10_000 });
  const pending = await before.outbox.pending();
  await before.close();
  stores.pop();
  const after = open(file);
  expect(await after.log.load("c")).toEqual(decision.floor);
  expect(await after.log.entries("c", { after: 0, limit: 10_000 })).toEqual(entries);
  expect(await after.outbox.pending()).toEqual(pending);
  expect(pending.deliveries).toHaveLength(1);
  expect([...verifySqlite(file)]).toMatchObject([{ conversation: "c", entries: decision.floor.seq }]);
});

test("after the file was opened again, entries of one decision each are read one at a time without a gap", async () => {
  const file = fresh();
  const before = open(file);
  let floor = await openConversation(before, "c");
  for (const title of ["a", "b", "c"]) floor = await afterCommand(before, floor, { verb: "title", title });
  await before.close();
  stores.pop();
  const after = open(file);
  for (let seq = 1; seq <= 5; seq += 1) {
    const found = await after.log.entries("c", { after: seq - 1, limit: 1 });
    expect(found.map((entry) => entry.seq)).toEqual(seq <= 4 ? [seq] : []);
  }
});

test("a closed store is one file, without a write-ahead log", async () => {
  const file = fresh();
  const store = open(file);
  await conversationWithUtterances(store, "c", 3);
  await store.log.entries("c", { after: 0, limit: 10 });
  expect(existsSync(`${file}-wal`)).toBe(true);
  await store.close();
  stores.pop();
  expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([false, false]);
});

test("titles are there after the file was opened again, also in a file of an older version", async () => {
  const file = fresh();
  const reopened = async (before?: FloorStore) => {
    await before?.close();
    stores.pop();
    return open(file);
  };
  let store = open(file);
  const decision = openDecision("c", { title: "Birds" });
  await store.log.append("c", changeOf(decision), 0);
  store = await reopened(store);
  expect([await titles(store), await titles(store, ann)]).toEqual([["Birds"], ["Birds"]]);
  const renamed = await afterCommand(store, decision.floor, { verb: "title", title: "Bees" });
  store = await reopened(store);
  expect([await titles(store), await titles(store, ann)]).toEqual([["Bees"], ["Bees"]]);
  await store.close();
  takeBack(file, "title");
  store = await reopened();
  expect(await titles(store)).toEqual([undefined]);
  await afterCommand(store, renamed, { verb: "title", title: "Ants" });
  expect(await titles(store)).toEqual(["Ants"]);
  expect([...verifySqlite(file)]).toMatchObject([{ conversation: "c", entries: 3 }]);
});

test("feedback is there after the file was opened again, also in a file of an older version", async () => {
  const file = fresh();
  const given = { traceId: "a".repeat(32), by: ann, reaction: "thumbs_up", at: now };
  const before = open(file);
  await before.feedback.keepFeedback(given);
  await before.close();
  stores.pop();
  const again = open(file);
  expect(await again.feedback.feedback([given.traceId])).toEqual([given]);
  await again.close();
  stores.pop();
  takeBack(file, "feedback");
  const after = open(file);
  expect(await after.feedback.feedback([given.traceId])).toEqual([]);
  await after.feedback.keepFeedback(given);
  expect(await after.feedback.feedback([given.traceId])).toEqual([given]);
});

test("a second process cannot open the store", () => {
  const file = fresh();
  open(file);
  expect(() => createSqliteStore(file)).toThrow(expect.objectContaining({ code: "store-in-use" }));
});

test("concurrent writes share one commit, and readers see them only after it", async () => {
  const sizes: number[] = [];
  let commit = () => {};
  const soon = (run: () => void) => {
    commit = run;
  };
  const store = open(fresh(), { soon, onCommit: (size) => sizes.push(size) });
  const decisions = ["a", "b", "c"].map((id) => ({ id, decision: openDecision(id) }));
  const writing = decisions.map(({ id, decision }) => store.log.append(id, changeOf(decision), 0));
  expect(await store.log.load("a")).toBeDefined();
  expect(await store.log.entries("a", { after: 0, limit: 10 })).toEqual([]);
  expect(await store.log.floorAt("a", 1)).toBeUndefined();
  expect(await store.log.count()).toBe(0);
  commit();
  expect(await Promise.all(writing)).toEqual(["appended", "appended", "appended"]);
  expect(sizes).toEqual([3]);
  expect(await store.log.entries("a", { after: 0, limit: 10 })).not.toEqual([]);
  expect(await store.log.count()).toBe(3);
});

test("a decision that cannot be written does not affect the others of its commit", async () => {
  const store = open(fresh());
  const [good, bad] = [openDecision("good"), openDecision("bad")];
  // A strict table refuses an object as text.
  const broken = changeOf(bad, { timers: [{ id: "t", at: {} as string, since: now }] });
  const writing = [store.log.append("good", changeOf(good), 0), store.log.append("bad", broken, 0)];
  const [first, second] = await Promise.allSettled(writing);
  expect(first).toEqual({ status: "fulfilled", value: "appended" });
  expect(second).toMatchObject({ status: "rejected", reason: { code: "store-write" } });
  expect(await store.log.load("bad")).toBeUndefined();
  expect(await store.log.load("good")).toEqual(good.floor);
});

test("a full disk refuses whole decisions, and a later one that fits is written", async () => {
  const file = fresh();
  const store = open(file, { pagesMax: 120 });
  let floor = await openConversation(store, "c");
  let refused: unknown;
  for (let count = 0; refused === undefined && count < 1_000; count += 1) {
    const decision = envelopeDecision(floor, utterance(`${count} ${"x".repeat(2_000)}`));
    try {
      await store.log.append("c", changeOf(decision), floor.seq);
      floor = decision.floor;
    } catch (error) {
      refused = error;
    }
  }
  expect(refused).toMatchObject({ code: "store-write", retryable: true });
  expect(await store.log.load("c")).toEqual(floor);
  expect(floor.seq).toBeGreaterThan(10);
  await expect(
    store.log.append("c", changeOf(envelopeDecision(floor, utterance("y".repeat(90_000)))), floor.seq),
  ).rejects.toThrow();
  await store.close();
  stores.pop();
  const roomier = open(file);
  await roomier.ready();
  expect(await roomier.log.load("c")).toEqual(floor);
  const decision = envelopeDecision(floor, utterance("room again"));
  expect(await roomier.log.append("c", changeOf(decision), floor.seq)).toBe("appended");
  expect([...verifySqlite(file)][0]?.problem).toBeUndefined();
});

test("snapshots bound the fold, and the log alone gives the same floor", async () => {
  const file = fresh();
  const store = open(file);
  const floor = await conversationWithUtterances(store, "c", 300);
  await store.close();
  stores.pop();
  const db = new Database(file);
  const count = () => db.prepare("SELECT count(*) FROM snapshot").pluck().get();
  expect(count()).toBe(Math.floor(floor.seq / 200));
  db.exec("UPDATE snapshot SET version = 0");
  db.close();
  expect(await open(file).log.load("c")).toEqual(floor);
});
