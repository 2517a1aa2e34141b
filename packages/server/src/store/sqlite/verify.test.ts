// Verification of files that were changed outside the store.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Floor, floorVersion } from "@plenary/floor";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  changeOf,
  conversationWithUtterances,
  envelopeDecision,
  openConversation,
  utterance,
} from "../acceptance/fixture.ts";
import { chainOf, rootOf, sha256 } from "./hash-chain.ts";
import { createSqliteStore } from "./store.ts";
import { verifySqlite } from "./verify.ts";

let [folder, file] = ["", ""];
let db: Database.Database;
let floor: Floor;

/** Three rows: entry 1, entries 2 and 3, entries 4 and 5. A snapshot of entry 3. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plenary-verify-"));
  file = join(folder, "floor.db");
  const store = createSqliteStore(file);
  floor = await conversationWithUtterances(store, "c", 2);
  const third = await store.log.floorAt("c", 3);
  await store.close();
  db = new Database(file);
  db.prepare("INSERT INTO snapshot VALUES (1, 3, ?, ?)").run(floorVersion, JSON.stringify(third));
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

type Row = { first: number; last: number; entries: string; payload: string; digest: string; chain: string };

const rowAt = (first: number) => db.prepare<[number], Row>("SELECT * FROM log WHERE first = ?").get(first) as Row;

/** Changes the last row and recomputes its chain. */
function rewrite(change: (row: Row) => Partial<Row>): void {
  const row = { ...rowAt(4), ...change(rowAt(4)) };
  const chain = chainOf(rowAt(2).chain, row.digest, row.entries);
  db.prepare("UPDATE log SET last = ?, entries = ?, payload = ?, digest = ?, chain = ? WHERE first = 4").run(
    ...[row.last, row.entries, row.payload, row.digest, chain],
  );
}

const results = () => [...verifySqlite(file)];
const validResult = () => ({ conversation: "c", entries: 5, erased: 0, head: rowAt(4).chain });

test("an unchanged log has no problem, and its head is the chain of its last row", () => {
  expect(floor.seq).toBe(5);
  expect(results()).toEqual([validResult()]);
  // The file is closed: SQLite removes the files beside it with the last connection.
  db.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
});

const other = "the events do not match their digest";
const broken = "the chain is broken";
const numbering = "the numbering is broken";

test.each<[string, () => void, number, string]>([
  ["the first row is missing", () => db.exec("DELETE FROM log WHERE first = 1"), 2, "entry 1 is missing"],
  ["a row is missing", () => db.exec("DELETE FROM log WHERE first = 2"), 4, "entry 2 is missing"],
  [
    "all rows are missing",
    () => db.exec("DELETE FROM log; DELETE FROM snapshot"),
    0,
    "the conversation has no entries",
  ],
  [
    "the text of an event was changed",
    () => db.exec("UPDATE log SET payload = replace(payload, 'word 0', 'word 9')"),
    2,
    other,
  ],
  ["the events are not JSON", () => db.exec("UPDATE log SET payload = '[' WHERE first = 2"), 2, other],
  ["spaces follow the events", () => db.exec("UPDATE log SET payload = payload || ' ' WHERE first = 4"), 4, other],
  ["a space is among the events", () => db.exec("UPDATE log SET payload = replace(payload, '[{', '[ {')"), 2, other],
  ["an entry was changed", () => db.exec("UPDATE log SET entries = replace(entries, 't2', 't3')"), 2, broken],
  ["the digest was changed", () => rewrite(() => ({ digest: sha256("other") })), 4, other],
  ["a link of the chain was changed", () => db.exec("UPDATE log SET chain = 'x' WHERE first = 2"), 2, broken],
  [
    "a time was changed",
    () => db.exec("UPDATE log SET at = '2020' WHERE first = 4"),
    4,
    "the time of the row differs from the time of its entries",
  ],
  ["the last seq of a row is too high", () => rewrite(() => ({ last: 6 })), 6, numbering],
  [
    "a number is skipped",
    () => rewrite(({ entries }) => ({ entries: entries.replace('"seq":5', '"seq":6') })),
    6,
    numbering,
  ],
  [
    "a snapshot has no entry",
    () => db.exec("UPDATE snapshot SET seq = 6"),
    6,
    "a snapshot refers to an entry that does not exist",
  ],
  [
    "a snapshot was changed",
    () => db.exec("UPDATE snapshot SET floor = replace(floor, 'Ann', 'Eve')"),
    3,
    "the snapshot differs from the fold of the log",
  ],
  ["an erasure mark has no event", () => db.exec("INSERT INTO erased VALUES (1, 4, 1, 'x')"), 4, other],
  [
    "an erasure mark is of an event with its content",
    () => db.exec("INSERT INTO erased VALUES (1, 4, 0, 'x')"),
    4,
    other,
  ],
])("verify finds that %s", (_what, change, seq, what) => {
  change();
  expect(results()).toMatchObject([{ conversation: "c", problem: { seq, what } }]);
});

test("the result of a log with a problem covers the rows before it", () => {
  db.exec("UPDATE log SET chain = 'x' WHERE first = 4");
  const problem = { seq: 4, what: broken };
  expect(results()).toEqual([{ conversation: "c", entries: 3, erased: 0, head: rowAt(2).chain, problem }]);
  db.exec("DELETE FROM log; DELETE FROM snapshot");
  expect(results()[0]).toMatchObject({ entries: 0, erased: 0, head: rootOf("c") });
});

test("a row of the oldest format, with a digest of the whole payload, is verified, but not with an erasure", () => {
  rewrite(({ payload }) => ({ digest: sha256(payload) }));
  expect(results()).toEqual([validResult()]);
  db.prepare("INSERT INTO erased VALUES (1, 4, 0, ?)").run(sha256(rowAt(4).payload.slice(1, -1)));
  expect(results()).toMatchObject([{ problem: { seq: 4, what: other } }]);
});

test("a snapshot of an earlier version is not compared", () => {
  db.prepare("UPDATE snapshot SET version = ?, floor = '{}'").run(floorVersion - 1);
  expect(results()).toEqual([validResult()]);
});

test("verify finds rows of a conversation that does not exist", () => {
  db.exec("UPDATE log SET conversation = 9 WHERE first = 4");
  const problem = { seq: 4, what: "entries belong to a conversation that does not exist" };
  expect(results()).toEqual([
    { conversation: "c", entries: 3, erased: 0, head: rowAt(2).chain },
    { conversation: "#9", entries: 0, erased: 0, head: "", problem },
  ]);
});

test("verify finds a damaged file, and still verifies the logs", () => {
  db.exec("CREATE INDEX stray ON conversation (started)");
  // An index that does not match its table.
  db.unsafeMode();
  db.pragma("writable_schema = ON");
  db.exec("UPDATE sqlite_schema SET sql = 'CREATE INDEX stray ON conversation (closed)' WHERE name = 'stray'");
  const problem = { seq: 0, what: "row 1 missing from index stray" };
  expect(results()).toEqual([{ conversation: "*", entries: 0, erased: 0, head: "", problem }, validResult()]);
});

test("a store that is written in the meantime has no problem", async () => {
  db.exec("DELETE FROM snapshot");
  const store = createSqliteStore(file);
  let last = floor;
  const say = async (count: number) => {
    const decision = envelopeDecision(last, utterance(`more ${count}`));
    expect(await store.log.append("c", changeOf(decision), last.seq)).toBe("appended");
    last = decision.floor;
  };
  await openConversation(store, "a");
  const verifying = verifySqlite(file);
  const verdicts = [verifying.next().value];
  // Enough for a snapshot.
  for (let count = 0; count < 100; count += 1) await say(count);
  verdicts.push(...verifying);
  await store.close();
  expect(verdicts).toMatchObject([{ conversation: "a" }, { conversation: "c", entries: last.seq }]);
  expect(verdicts.filter((verdict) => verdict?.problem !== undefined)).toEqual([]);
});
