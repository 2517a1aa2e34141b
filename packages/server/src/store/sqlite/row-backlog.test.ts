// When the tables beside the log are written, and what is found before that.

import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decide, type Floor } from "@plenary/floor";
import { invite } from "@plenary/protocol";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contentHash } from "../../conversation/dedupe.ts";
import type { Change } from "../../ports/conversation-log.ts";
import type { FloorStore } from "../../ports/store.ts";
import {
  ann,
  bot,
  changeOf,
  envelopeDecision,
  now,
  openDecision,
  seatDecision,
  utterance,
} from "../acceptance/fixture.ts";
import { createSqliteStore } from "./store.ts";
import { verifySqlite } from "./verify.ts";
import { openImporter } from "./writer.ts";

let [folder, file] = ["", ""];
let store: FloorStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-backlog-"));
  file = join(folder, "floor.db");
  store = createSqliteStore(file);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A conversation of this many decisions, written together. The last one invites an agent. */
async function converse(id: string, decisions: number): Promise<Floor> {
  const opened = openDecision(id);
  const writing = [store.log.append(id, changeOf(opened), 0)];
  let floor = opened.floor;
  for (let count = 1; count < decisions; count += 1) {
    const words = `word ${count}`;
    const event = count === decisions - 1 ? invite({ to: bot }) : utterance(words);
    const decision = envelopeDecision(floor, event);
    const dedupe = event.eventType === "utterance" ? [{ sender: ann, dialogEventId: words }] : [];
    writing.push(store.log.append(id, changeOf(decision, { dedupe }), floor.seq));
    floor = decision.floor;
  }
  expect(new Set(await Promise.all(writing))).toEqual(new Set(["appended"]));
  return floor;
}

function countsIn(path = file) {
  const db = new Database(path, { readonly: true });
  const count = (table: string) => Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  const counts = { log: count("log"), place: count("place"), utterance: count("utterance"), outbox: count("outbox") };
  db.close();
  return counts;
}

/** The same questions to a store in use, to a copy of its files, and to a store that was opened again. */
async function expectKnown(asked: FloorStore, floors: readonly Floor[]): Promise<void> {
  for (const floor of floors) {
    expect(asked.log.load(floor.id)).toEqual(floor);
    const entries = await asked.log.entries(floor.id, { after: 0, limit: 10_000 });
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: floor.seq }, (_, index) => index + 1));
    const words = ["word 1", "word 2", "word 600"];
    const known = words.map((text) => (floor.seq > 1_200 || text !== "word 600" ? [contentHash(utterance(text))] : []));
    const names = words.map((dialogEventId) => ({ sender: ann, dialogEventId }));
    expect(asked.lookups.seen(floor.id, names)).toEqual(known);
  }
  const { deliveries } = await asked.outbox.pending();
  expect(deliveries.map(({ conversationId }) => conversationId)).toEqual(floors.map(({ id }) => id));
}

test("a few decisions are in the log only, and all of them are found, also by a copy of the files", async () => {
  const floors = [await converse("a", 5), await converse("b", 5)];
  expect(countsIn()).toEqual({ log: 10, place: 0, utterance: 0, outbox: 0 });
  await expectKnown(store, floors);
  const copy = crashed();
  const image = createSqliteStore(copy);
  await expectKnown(image, floors);
  await image.close();
  expect(countsIn(copy)).toEqual({ log: 10, place: 10, utterance: 6, outbox: 2 });
  expect([...verifySqlite(copy)].map(({ entries, problem }) => [entries, problem])).toEqual(
    floors.map(({ seq }) => [seq, undefined]),
  );
});

test("when there are many decisions, the oldest are moved to the tables, and all are found before and after", async () => {
  const floors = [await converse("a", 1_200), await converse("b", 1_200)];
  const { log, place } = countsIn();
  expect(log).toBe(2_400);
  // Moved in groups of 1,024, which leaves fewer than 2,048.
  expect(place).toBe(1_024);
  await expectKnown(store, floors);
  expect([...verifySqlite(file)].filter(({ problem }) => problem !== undefined)).toEqual([]);
  await store.close();
  expect(countsIn()).toEqual({ log: 2_400, place: 2_400, utterance: 2_396, outbox: 2 });
  store = createSqliteStore(file);
  await expectKnown(store, floors);
});

test("a delivery that ends soon never enters the table", async () => {
  const floor = await converse("a", 3);
  const [pending] = (await store.outbox.pending()).deliveries;
  await store.outbox.settle("a", pending?.effect.delivery ?? "");
  expect((await store.outbox.pending()).deliveries).toEqual([]);
  await store.close();
  expect(countsIn()).toMatchObject({ place: 3, outbox: 0 });
  store = createSqliteStore(file);
  expect(store.log.load("a")).toEqual(floor);
  expect((await store.outbox.pending()).deliveries).toEqual([]);
});

test("a damaged row that the tables lack stops its own conversation only, and is found by verify", async () => {
  const floors = [await converse("a", 3), await converse("b", 3)];
  const copy = crashed();
  const db = new Database(copy);
  db.exec("UPDATE log SET payload = '[' WHERE first = 2 AND conversation = 1");
  db.close();
  const image = createSqliteStore(copy);
  expect(image.log.load("b")).toEqual(floors[1]);
  expect(() => image.log.load("a")).toThrow(SyntaxError);
  await image.close();
  expect([...verifySqlite(copy)]).toMatchObject([{ conversation: "a", problem: { seq: 2 } }, { conversation: "b" }]);
});

/** A copy of the files as they are, as after a crash. */
function crashed(): string {
  const copy = join(folder, "crashed.db");
  for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, `${copy}${end}`);
  return copy;
}

test("text is erased from the files while its row, its delivery and its name are in the backlog", async () => {
  const secret = "TOP-SECRET";
  const copies = () =>
    [file, `${file}-wal`].reduce((count, part) => {
      return count + (existsSync(part) ? readFileSync(part, "latin1").split(secret).length - 1 : 0);
    }, 0);
  const opened = openDecision("a");
  const seated = seatDecision(opened.floor);
  const event = utterance(`${secret} plan`, "u1");
  const said = envelopeDecision(seated.floor, event);
  const erase = { verb: "erase", seq: said.floor.seq } as const;
  const erased = decide(said.floor, { kind: "command", command: erase, by: "operator" }, now);
  const name = { sender: ann, dialogEventId: "u1" };
  const writing = [opened, seated, said].map((one) =>
    store.log.append("a", changeOf(one, { dedupe: one === said ? [name] : [] }), one.floor.seq - one.entries.length),
  );
  await Promise.all(writing);
  expect(copies()).toBeGreaterThan(0);
  expect(countsIn()).toEqual({ log: 3, place: 0, utterance: 0, outbox: 0 });
  // Others wait for the same commit.
  const others = [store.log.append("b", changeOf(openDecision("b")), 0)];
  await Promise.all([...others, store.log.append("a", changeOf(erased), said.floor.seq)]);
  expect(copies()).toBe(0);
  const check = async (asked: FloorStore) => {
    expect(asked.lookups.seen("a", [name])).toEqual([[contentHash(event)]]);
    const { deliveries } = await asked.outbox.pending();
    expect(deliveries.map(({ effect }) => JSON.stringify(effect.events))).toEqual([
      expect.stringContaining("[erased]"),
    ]);
  };
  await check(store);
  const copy = crashed();
  const image = createSqliteStore(copy);
  await check(image);
  await image.close();
  expect(readFileSync(copy, "latin1")).not.toContain(secret);
  expect([...verifySqlite(copy)].filter(({ problem }) => problem !== undefined)).toEqual([]);
});

async function* changes(id: string, end: "whole" | "fails"): AsyncGenerator<Change> {
  const opened = openDecision(id);
  yield changeOf(opened);
  yield changeOf(envelopeDecision(opened.floor, utterance("imported")), {
    dedupe: [{ sender: ann, dialogEventId: "imported" }],
  });
  if (end === "fails") throw new Error("broken");
}

test("an import into a store that crashed keeps what the tables lack, also when the import fails", async () => {
  const floors = [await converse("a", 5), await converse("b", 5)];
  const copy = crashed();
  const importer = openImporter(copy);
  await expect(importer.write(changes("c", "fails"))).rejects.toThrow("broken");
  expect(countsIn(copy)).toEqual({ log: 10, place: 0, utterance: 0, outbox: 0 });
  await importer.write(changes("c", "whole"));
  await importer.write(changes("d", "whole"));
  importer.close();
  expect(countsIn(copy)).toEqual({ log: 14, place: 14, utterance: 8, outbox: 2 });
  expect([...verifySqlite(copy)].map(({ problem }) => problem)).toEqual([undefined, undefined, undefined, undefined]);
  const image = createSqliteStore(copy);
  await expectKnown(image, floors);
  expect(image.lookups.seen("d", [{ sender: ann, dialogEventId: "imported" }])).toEqual([[expect.any(String)]]);
  await image.close();
});

test("rows that an older release writes after `plenary keys` migrated its file are read with their names", async () => {
  const opened = openDecision("a");
  await store.log.append("a", changeOf(opened), 0);
  const said = envelopeDecision(opened.floor, utterance("one", "u1"), utterance("two", "u2"));
  const dedupe = [{ sender: ann, dialogEventId: "u1", hash: "hash of one" }];
  await store.log.append("a", changeOf(said, { dedupe }), opened.floor.seq);
  const copy = crashed();
  const db = new Database(copy);
  // Its keys were a list of names.
  db.exec("UPDATE log SET keys = json_extract(keys, '$.names') WHERE keys IS NOT NULL");
  db.close();
  const names = ["u1", "u2"].map((dialogEventId) => ({ sender: ann, dialogEventId }));
  for (const _ of ["from the log", "from the tables"]) {
    const image = createSqliteStore(copy);
    expect(image.lookups.seen("a", names)).toEqual([["hash of one"], []]);
    await image.close();
  }
});
