// Eviction and loss of cached conversations, seen through the store.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Floor } from "@plenary/floor";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FloorStore } from "../../ports/store.ts";
import { ann, changeOf, envelopeDecision, now, openDecision, utterance } from "../acceptance/fixture.ts";
import { createSqliteStore } from "./store.ts";
import { verifySqlite } from "./verify.ts";

let [folder, file] = ["", ""];
let store: FloorStore;
let commit = () => {};

function open(cachedMax: number): void {
  const soon = (run: () => void) => {
    commit = run;
  };
  store = createSqliteStore(file, { soon, cachedMax });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-cache-"));
  file = join(folder, "floor.db");
  open(2);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

type Pending = { floor: Floor; written: Promise<string> };

function begin(id: string): Pending {
  const opened = openDecision(id);
  return { floor: opened.floor, written: store.log.append(id, changeOf(opened), 0) };
}

function say(before: Floor, text: string): Pending {
  const decision = envelopeDecision(before, utterance(text));
  const change = changeOf(decision, { dedupe: [{ sender: ann, dialogEventId: text }] });
  return { floor: decision.floor, written: store.log.append(before.id, change, before.seq) };
}

const held = () => store.figures?.().held;
const isKnown = (id: string, text: string) => {
  const [hashes] = store.lookups.seen(id, [{ sender: ann, dialogEventId: text }]) as string[][];
  return hashes?.length === 1;
};

test("a conversation with changes that wait is written before it is evicted, and is the same when it is loaded", async () => {
  const first = begin("a");
  const second = say(first.floor, "one");
  const third = say(second.floor, "two");
  // Each is loaded in turn, and there is room for two.
  const others = ["b", "c", "d"].map(begin);
  expect(held()).toBe(2);
  expect(store.log.load("a")).toEqual(third.floor);
  expect([isKnown("a", "one"), isKnown("a", "two"), isKnown("a", "three")]).toEqual([true, true, false]);
  const fourth = say(third.floor, "three");
  commit();
  const all = await Promise.all([first, second, third, fourth, ...others].map(({ written }) => written));
  expect(new Set(all)).toEqual(new Set(["appended"]));
  expect(store.log.load("a")).toEqual(fourth.floor);
  expect([...verifySqlite(file)].map(({ entries, problem }) => [entries, problem])).toEqual([
    [fourth.floor.seq, undefined],
    ...others.map(() => [1, undefined]),
  ]);
});

test("the conversation that was used longest ago is evicted", async () => {
  const [a, b] = [begin("a"), begin("b")];
  commit();
  const more = say(a.floor, "again");
  const c = begin("c");
  commit();
  await Promise.all([a, b, more, c].map(({ written }) => written));
  // A row of the log is damaged: only a conversation that is not in memory is read again.
  const db = new Database(file);
  db.exec("UPDATE log SET entries = 'damaged'");
  db.close();
  expect([store.log.load("a"), store.log.load("c")]).toEqual([more.floor, c.floor]);
  expect(() => store.log.load("b")).toThrow(SyntaxError);
});

test("after a failure a conversation is at its last durable decision, and what stood on it is refused", async () => {
  const first = begin("a");
  commit();
  await first.written;
  const decision = envelopeDecision(first.floor, utterance("lost"));
  // A strict table refuses an object as text.
  const refused = changeOf(decision, {
    timers: [{ id: "t", at: {} as string, since: now }],
    dedupe: [{ sender: ann, dialogEventId: "lost" }],
  });
  const lost = store.log.append("a", refused, first.floor.seq).catch(({ code }) => code);
  const onTop = say(decision.floor, "on top");
  expect([isKnown("a", "lost"), isKnown("a", "on top"), store.log.load("a")]).toEqual([true, true, onTop.floor]);
  commit();
  expect([await lost, await onTop.written]).toEqual(["store-write", "conflict"]);
  expect([isKnown("a", "lost"), isKnown("a", "on top"), store.log.load("a")]).toEqual([false, false, first.floor]);
  // A decision on the lost floor is a conflict, and one on the durable floor is written.
  expect(await say(decision.floor, "late").written).toBe("conflict");
  const next = say(first.floor, "next");
  commit();
  expect([await next.written, store.log.load("a")]).toEqual(["appended", next.floor]);
});

test("a new conversation that cannot be written does not exist", async () => {
  const decision = openDecision("a");
  const refused = changeOf(decision, { timers: [{ id: "t", at: {} as string, since: now }] });
  const lost = store.log.append("a", refused, 0).catch(({ code }) => code);
  expect(store.log.load("a")).toEqual(decision.floor);
  commit();
  expect([await lost, store.log.load("a"), held(), await store.log.count()]).toEqual(["store-write", undefined, 0, 0]);
  const again = begin("a");
  commit();
  expect([await again.written, store.log.load("a")]).toEqual(["appended", again.floor]);
});
