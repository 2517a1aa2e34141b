// Behaviour of the store when the disk refuses writes.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FloorStore } from "../../ports/store.ts";
import { changeOf, envelopeDecision, openConversation, openDecision, utterance } from "../acceptance/fixture.ts";
import { createSqliteStore, type SqliteStoreOptions } from "./store.ts";
import { verifySqlite } from "./verify.ts";

let [folder, file] = ["", ""];
let store: FloorStore;

function open(options: SqliteStoreOptions = {}): FloorStore {
  store = createSqliteStore(file, options);
  return store;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-failing-"));
  file = join(folder, "floor.db");
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Makes every COMMIT after a write to this table fail. Returns the function that ends it. */
function failCommits(table: string): () => void {
  const db = new Database(file);
  db.exec(`
    CREATE TABLE present (id INTEGER PRIMARY KEY);
    CREATE TABLE absent (id INTEGER REFERENCES present (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER fail_commit AFTER INSERT ON ${table} BEGIN INSERT INTO absent VALUES (1); END;
  `);
  return () => {
    db.exec("DROP TRIGGER fail_commit; DROP TABLE absent; DROP TABLE present");
    db.close();
  };
}

test("a failed COMMIT rejects all its writes, and nothing of them is in the store", async () => {
  const sizes: number[] = [];
  open({ onCommit: (size) => sizes.push(size) });
  const floor = await openConversation(store, "kept");
  const restore = failCommits("log");
  const decision = envelopeDecision(floor, utterance("lost"));
  const writing = [
    store.log.append("kept", changeOf(decision), floor.seq),
    store.log.append("new", changeOf(openDecision("new")), 0),
  ];
  // Based on a write that is not durable: lost with it.
  writing.push(
    store.log.append("kept", changeOf(envelopeDecision(decision.floor, utterance("more"))), decision.floor.seq),
  );
  for (const { status } of await Promise.allSettled(writing)) expect(status).toBe("rejected");
  await expect(writing[0]).rejects.toMatchObject({ code: "store-write", retryable: true });
  expect(sizes).toEqual([1]);
  expect(await store.log.load("kept")).toEqual(floor);
  expect(await store.log.load("new")).toBeUndefined();
  expect(await store.log.entries("kept", { after: 0, limit: 9 })).toHaveLength(floor.seq);
  expect(store.figures?.()).toMatchObject({ commits: 1, writes: 1 });
  restore();
  expect(await store.log.append("kept", changeOf(decision), floor.seq)).toBe("appended");
  expect(await store.log.load("kept")).toEqual(decision.floor);
  // It is not visible after the next commit either.
  expect(await store.log.entries("kept", { after: 0, limit: 9 })).toHaveLength(decision.floor.seq);
  expect(await store.log.entries("new", { after: 0, limit: 9 })).toEqual([]);
  expect([...verifySqlite(file)]).toMatchObject([{ conversation: "kept", entries: decision.floor.seq }]);
});

test("a store whose commits fail is not ready, and is ready after they succeed", async () => {
  open();
  await store.ready();
  const restore = failCommits("probe");
  for (let count = 0; count < 3; count += 1) {
    await expect(store.ready()).rejects.toMatchObject({ code: "store-write" });
  }
  restore();
  await store.ready();
});

test("a full store is not ready, even without a failed write", async () => {
  await open().ready();
  await store.close();
  const db = new Database(file);
  // Free pages in the file must not hide that it cannot grow.
  db.exec("DELETE FROM probe; VACUUM");
  const pages = Number(db.pragma("page_count", { simple: true }));
  db.close();
  open({ pagesMax: pages });
  for (let count = 0; count < 3; count += 1) {
    await expect(store.ready()).rejects.toMatchObject({ code: "store-write" });
  }
  await store.close();
  await open().ready();
});

test("probes do not fill the store, and a failed probe fails no decision", async () => {
  open({ soon: () => {} });
  for (let count = 0; count < 20; count += 1) await store.ready();
  const restore = failCommits("probe");
  const writing = store.log.append("c", changeOf(openDecision("c")), 0);
  await expect(store.ready()).rejects.toMatchObject({ code: "store-write" });
  expect(await writing).toBe("appended");
  restore();
  const db = new Database(file, { readonly: true });
  expect(db.prepare("SELECT count(*), max(length(filler)) FROM probe").raw().get()).toEqual([1, 16_384]);
  db.close();
});
