// Erased content is removed from the files, and the hash chain stays valid.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decide, type Floor } from "@plenary/floor";
import { envelope, type FloorEvent, invite } from "@plenary/protocol";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scrubbed } from "../../conversation/erasure.ts";
import type { FloorStore } from "../../ports/store.ts";
import {
  bot,
  changeOf,
  envelopeDecision,
  now,
  openConversation,
  seatDecision,
  utterance,
} from "../acceptance/fixture.ts";
import { chainOf, sha256 } from "./hash-chain.ts";
import { createSqliteStore } from "./store.ts";
import { verifySqlite } from "./verify.ts";

const secret = "TOP-SECRET";
let folder: string;
let file: string;
let store: FloorStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-erasing-"));
  file = join(folder, "floor.db");
  store = createSqliteStore(file);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Number of occurrences in the bytes on disk. */
function copies(text = secret): number {
  const files = [file, `${file}-wal`, `${file}-shm`].filter((part) => existsSync(part));
  return files.reduce((count, part) => count + readFileSync(part, "latin1").split(text).length - 1, 0);
}

async function erase(floor: Floor, seq: number): Promise<Floor> {
  const decision = decide(floor, { kind: "command", command: { verb: "erase", seq }, by: "operator" }, now);
  expect(await store.log.append("c", changeOf(decision), floor.seq)).toBe("appended");
  return decision.floor;
}

async function say(floor: Floor, text: string): Promise<Floor> {
  const decision = envelopeDecision(floor, utterance(text, `id of ${floor.seq}`));
  expect(await store.log.append("c", changeOf(decision), floor.seq)).toBe("appended");
  return decision.floor;
}

test("no byte of erased content stays in the files, whatever its length and position", async () => {
  let floor = await openConversation(store, "c");
  const places: number[] = [];
  for (let count = 0; count < 60; count += 1) {
    floor = await say(floor, `${secret} ${"filler ".repeat(count * 17)} ${secret}`);
    places.push(floor.seq);
    floor = await say(floor, `something else ${count}`);
  }
  expect(copies()).toBeGreaterThanOrEqual(120);
  for (const seq of places) floor = await erase(floor, seq);
  expect(copies()).toBe(0);
  expect(copies("something else")).toBeGreaterThanOrEqual(60);
  expect([...verifySqlite(file)]).toMatchObject([{ conversation: "c", entries: floor.seq, erased: 60 }]);
  expect([...verifySqlite(file)][0]).not.toHaveProperty("problem");
});

test("a short erased text leaves no more bytes than a long one", async () => {
  let floor = await openConversation(store, "c");
  for (let count = 0; count < 40; count += 1) floor = await say(floor, `~${count}~`);
  for (let seq = floor.seq; seq > 1; seq -= 1) floor = await erase(floor, seq);
  expect(Array.from({ length: 40 }, (_, count) => copies(`"~${count}~"`))).toEqual(new Array(40).fill(0));
  expect([...verifySqlite(file)][0]).not.toHaveProperty("problem");
});

test("an erased row keeps its length in bytes if possible, and otherwise grows as little as possible", async () => {
  const payloads = (seq: number) => {
    const found: string[] = [];
    tamper(seq, ({ payload }) => found.push(payload));
    return found[0] ?? "";
  };
  const long = await say(await openConversation(store, "c"), `${secret} ${"é".repeat(50)}`);
  const short = await say(long, "é");
  const before = payloads(long.seq);
  await erase(await erase(short, long.seq), short.seq);
  expect(Buffer.byteLength(payloads(long.seq))).toBe(Buffer.byteLength(before));
  expect(payloads(short.seq)).toMatch(/\]$/u);
});

test("only an erasure truncates the write-ahead log", async () => {
  const written = () => statSync(`${file}-wal`).size;
  let floor = await say(await openConversation(store, "c"), secret);
  expect(written()).toBeGreaterThan(0);
  floor = await erase(floor, floor.seq);
  expect(written()).toBe(0);
  await say(floor, "the next");
  expect(written()).toBeGreaterThan(0);
});

test("in a row of the oldest format an event without text is erased, and the row is still verified", async () => {
  const asking = envelopeDecision(await openConversation(store, "c"), { eventType: "requestFloor" });
  const { seq } = asking.floor;
  expect(await store.log.append("c", changeOf(asking), 1)).toBe("appended");
  await store.close();
  tamper(seq, ({ first, payload }, db) => {
    const entries = db.prepare("SELECT entries FROM log WHERE first = ?").pluck().get(first) as string;
    const before = db.prepare("SELECT chain FROM log WHERE first = 1").pluck().get() as string;
    const digest = sha256(payload);
    const chain = chainOf(before, digest, entries);
    db.prepare("UPDATE log SET digest = ?, chain = ? WHERE first = ?").run(digest, chain, first);
  });
  store = createSqliteStore(file);
  await erase(asking.floor, seq);
  expect([...verifySqlite(file)]).toMatchObject([{ entries: seq + 1, erased: 1 }]);
  expect(problem()).toBeUndefined();
});

test("a reader of another connection delays the removal until the next commit, and no write waits for it", async () => {
  let floor = await say(await openConversation(store, "c"), secret);
  const outside = new Database(file, { readonly: true });
  outside.exec("BEGIN");
  outside.prepare("SELECT count(*) FROM log").get();
  floor = await erase(floor, floor.seq);
  expect(JSON.stringify(await store.log.entries("c", { after: 0, limit: 100 }))).not.toContain(secret);
  expect(copies()).toBeGreaterThan(0);
  outside.close();
  await say(floor, "the next");
  expect(copies()).toBe(0);
});

test("a parked utterance is erased from its envelope, from the parked entry and from snapshots", async () => {
  let floor = await openConversation(store, "c");
  const carry = async (decision: ReturnType<typeof decide>, before = floor) => {
    expect(await store.log.append("c", changeOf(decision), before.seq)).toBe("appended");
    floor = decision.floor;
    return decision;
  };
  await carry(seatDecision(floor));
  const convener = { verb: "convener", serviceUrl: bot.serviceUrl } as const;
  await carry(decide(floor, { kind: "command", command: convener, by: "operator" }, now));
  const event = utterance(secret, "asked");
  const parking = await carry(
    decide(
      { ...floor, floorGranted: [] },
      {
        kind: "envelope",
        envelope: envelope({
          conversation: { id: "c" },
          sender: { speakerUri: event.parameters.dialogEvent.speakerUri },
          events: [event],
        }),
      },
      now,
    ),
    floor,
  );
  expect(floor.parked).toHaveLength(1);
  // As `evict` would write it at this time.
  const outside = new Database(file);
  outside.prepare("INSERT INTO snapshot VALUES (1, ?, 1, ?)").run(floor.seq, JSON.stringify(floor));
  outside.close();
  const [delivery] = parking.effects.flatMap((effect) => (effect.kind === "deliver" ? [effect.delivery] : []));
  const reply = envelope({ conversation: { id: "c" }, sender: { speakerUri: bot.speakerUri }, events: [event] });
  await carry(decide(floor, { kind: "answer", delivery: delivery ?? "", envelope: reply, dialect: "1.1" }, now));
  expect(floor.parked).toEqual([]);
  const entries = await store.log.entries("c", { after: 0, limit: 100 });
  const effect = entries.find((entry) => entry.kind === "event" && JSON.stringify(entry).includes(secret));
  await erase(floor, effect?.seq ?? 0);
  expect(copies()).toBe(0);
  expect([...verifySqlite(file)][0]).not.toHaveProperty("problem");
  // The copy is covered too: content put back into it is found.
  const tampering = new Database(file);
  const words = "UPDATE log SET payload = replace(payload, '[erased]', '[I quit]') WHERE first = ?";
  expect(tampering.prepare(words).run(parking.entries[0]?.seq).changes).toBe(1);
  tampering.close();
  expect([...verifySqlite(file)][0]).toHaveProperty("problem.seq", parking.entries[0]?.seq);
});

test("a copy in a history is erased, and the other events stay and are verified", async () => {
  let floor = await openConversation(store, "c");
  const said = utterance(secret, "u1");
  const first = envelopeDecision(floor, said);
  expect(await store.log.append("c", changeOf(first), floor.seq)).toBe("appended");
  const history = [said, utterance("quoted, too")].map(({ parameters }) => parameters.dialogEvent);
  const quoting = invite({ to: bot, dialogHistory: history });
  const second = envelopeDecision(first.floor, quoting, utterance("stays"));
  expect(await store.log.append("c", changeOf(second), first.floor.seq)).toBe("appended");
  floor = await erase(second.floor, first.floor.seq);
  expect([copies(), copies('"stays"') > 0]).toEqual([0, true]);
  expect(problem()).toBeUndefined();
  // The `erased` entry explains only the mark of its copy.
  tamper(second.floor.seq, ({ first, payload }, db) => {
    const mark = db.prepare("INSERT INTO erased VALUES (1, ?, ?, ?)");
    const left = JSON.parse(payload).map((event: FloorEvent, place: number) => {
      if (event.eventType === "utterance") mark.run(first, place, sha256(JSON.stringify(event)));
      return event.eventType === "utterance" ? scrubbed(event) : event;
    });
    db.prepare("UPDATE log SET payload = ? WHERE first = ?").run(JSON.stringify(left), first);
  });
  expect(problem()?.what).toBe("an event was scrubbed, and no entry erases it");
});

/** Changes the row of an entry directly in the file. */
function tamper(seq: number, change: (row: { first: number; payload: string }, db: Database.Database) => void): void {
  const outside = new Database(file);
  const row = outside.prepare("SELECT first, payload FROM log WHERE first <= ? ORDER BY first DESC LIMIT 1").get(seq);
  change(row as { first: number; payload: string }, outside);
  outside.close();
}

function problem() {
  return [...verifySqlite(file)][0]?.problem;
}

test("one of two utterances of an envelope is erased alone, and so is a reason without an utterance", async () => {
  let floor = await openConversation(store, "c");
  const first = envelopeDecision(floor, utterance("stays", "u1"), utterance(secret, "u2"));
  expect(await store.log.append("c", changeOf(first), floor.seq)).toBe("appended");
  floor = await erase(first.floor, first.floor.seq);
  expect([copies(), copies('"stays"') > 0, problem()]).toEqual([0, true, undefined]);
  const asking = envelopeDecision(floor, { eventType: "requestFloor", reason: secret });
  expect(await store.log.append("c", changeOf(asking), floor.seq)).toBe("appended");
  const asked = asking.entries.find((entry) => entry.kind === "event" && entry.event.eventType === "requestFloor");
  await erase(asking.floor, asked?.seq ?? 0);
  expect([copies(), problem()]).toEqual([0, undefined]);
});

test.each([
  ["all of them", [0, 1]],
  ["one of them", [1]],
])("verify finds erased events that were restored: %s", async (_what, back) => {
  const before = await openConversation(store, "c");
  const said = envelopeDecision(before, utterance(secret, "u1"), utterance(secret, "u2"));
  expect(await store.log.append("c", changeOf(said), before.seq)).toBe("appended");
  const seq = said.entries[0]?.seq ?? 0;
  let whole: unknown[] = [];
  tamper(seq, ({ payload }) => {
    whole = JSON.parse(payload);
  });
  await erase(await say(said.floor, "stays"), seq);
  expect(problem()).toBeUndefined();
  tamper(seq, ({ first, payload }, db) => {
    const left: unknown[] = JSON.parse(payload);
    for (const place of left.keys()) if (back.includes(place % 2)) left[place] = whole[place];
    const text = JSON.stringify(left);
    db.prepare("UPDATE log SET payload = ? WHERE first = ?").run(text, first);
    for (const place of left.keys()) {
      if (back.includes(place % 2)) db.prepare("DELETE FROM erased WHERE first = ? AND place = ?").run(first, place);
    }
  });
  expect(problem()).toEqual({ seq, what: "an erased event has its content again" });
});

test.each(["before", "behind"])("verify finds a scrubbed event when only the one %s it was erased", async (where) => {
  const first = await say(await openConversation(store, "c"), "one");
  const second = await say(first, "another");
  const [named, stray] = where === "before" ? [first, second] : [second, first];
  await erase(second, named.seq);
  expect(problem()).toBeUndefined();
  let row = 0;
  tamper(stray.seq, ({ first, payload }, db) => {
    row = first;
    const events = JSON.parse(payload);
    const left = events.map(scrubbed);
    const mark = db.prepare("INSERT INTO erased VALUES (1, ?, ?, ?)");
    for (const [place, event] of events.entries()) mark.run(first, place, sha256(JSON.stringify(event)));
    db.prepare("UPDATE log SET payload = ? WHERE first = ?").run(JSON.stringify(left), first);
  });
  expect(problem()).toEqual({ seq: row, what: "an event was scrubbed, and no entry erases it" });
});

test("verify reads a store of version 1 without the table of erasures", async () => {
  const floor = await say(await openConversation(store, "c"), "stays");
  tamper(floor.seq, (_, db) => {
    db.exec("DROP TABLE erased; PRAGMA user_version = 1");
  });
  expect(problem()).toBeUndefined();
});

test("verify finds an erasure mark of an entry that does not exist", async () => {
  const floor = await say(await openConversation(store, "c"), "stays");
  tamper(floor.seq, (_, db) => {
    db.prepare("INSERT INTO erased VALUES (1, 99, 0, 'x')").run();
  });
  expect(problem()).toEqual({ seq: 99, what: "an erasure mark refers to an entry that does not exist" });
});
