// What is erased is gone from the files, and the chain still holds.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decide, type Floor } from "@plenary/floor";
import { envelope } from "@plenary/protocol";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FloorStore } from "../ports.ts";
import { bot, changeOf, now, opened, saying, seating, word } from "./acceptance-scene.ts";
import { verifySqlite } from "./sqlite/verify.ts";
import { createSqliteStore } from "./sqlite.ts";

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

/** How often the words stand in the bytes on disk, as they are now. */
function copies(text = secret): number {
  const files = [file, `${file}-wal`, `${file}-shm`].filter((part) => existsSync(part));
  return files.reduce((count, part) => count + readFileSync(part, "latin1").split(text).length - 1, 0);
}

async function erase(floor: Floor, seq: number): Promise<Floor> {
  const decision = decide(floor, { kind: "command", command: { verb: "erase", seq }, by: "operator" }, now);
  expect(await store.append("c", changeOf(decision), floor.seq)).toBe("appended");
  return decision.floor;
}

async function say(floor: Floor, text: string): Promise<Floor> {
  const decision = saying(floor, word(text, `id of ${floor.seq}`));
  expect(await store.append("c", changeOf(decision), floor.seq)).toBe("appended");
  return decision.floor;
}

test("no byte of it stays in the files, however long it is and whatever stands around it", async () => {
  let floor = await opened(store, "c");
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

test("what was short leaves no more behind than what was long", async () => {
  let floor = await opened(store, "c");
  for (let count = 0; count < 40; count += 1) floor = await say(floor, `~${count}~`);
  for (let seq = floor.seq; seq > 1; seq -= 1) floor = await erase(floor, seq);
  expect(Array.from({ length: 40 }, (_, count) => copies(`"~${count}~"`))).toEqual(new Array(40).fill(0));
  expect([...verifySqlite(file)][0]).not.toHaveProperty("problem");
});

test("a reader from outside delays it until the next commit, and nobody waits for that", async () => {
  let floor = await say(await opened(store, "c"), secret);
  const outside = new Database(file, { readonly: true });
  outside.exec("BEGIN");
  outside.prepare("SELECT count(*) FROM log").get();
  floor = await erase(floor, floor.seq);
  expect(JSON.stringify(await store.entries("c", { after: 0, limit: 100 }))).not.toContain(secret);
  expect(copies()).toBeGreaterThan(0);
  outside.close();
  await say(floor, "the next");
  expect(copies()).toBe(0);
});

test("what waited for a convener is gone from where it came in, from where it waited and from the floors of then", async () => {
  let floor = await opened(store, "c");
  const carry = async (decision: ReturnType<typeof decide>, before = floor) => {
    expect(await store.append("c", changeOf(decision), before.seq)).toBe("appended");
    floor = decision.floor;
    return decision;
  };
  await carry(seating(floor));
  const convener = { verb: "convener", serviceUrl: bot.serviceUrl } as const;
  await carry(decide(floor, { kind: "command", command: convener, by: "operator" }, now));
  const event = word(secret, "asked");
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
  // As it would be written when the conversation leaves memory just then.
  const outside = new Database(file);
  outside.prepare("INSERT INTO snapshot VALUES (1, ?, 1, ?)").run(floor.seq, JSON.stringify(floor));
  outside.close();
  const [delivery] = parking.effects.flatMap((effect) => (effect.kind === "deliver" ? [effect.delivery] : []));
  const reply = envelope({ conversation: { id: "c" }, sender: { speakerUri: bot.speakerUri }, events: [event] });
  await carry(decide(floor, { kind: "answer", delivery: delivery ?? "", envelope: reply, dialect: "1.1" }, now));
  expect(floor.parked).toEqual([]);
  const entries = await store.entries("c", { after: 0, limit: 100 });
  const effect = entries.find((entry) => entry.kind === "event" && JSON.stringify(entry).includes(secret));
  await erase(floor, effect?.seq ?? 0);
  expect(copies()).toBe(0);
  expect([...verifySqlite(file)][0]).not.toHaveProperty("problem");
  // The copy is not what was named, and nothing can be put into it all the same.
  const tampering = new Database(file);
  const words = "UPDATE log SET payload = replace(payload, '[erased]', '[I quit]') WHERE first = ?";
  expect(tampering.prepare(words).run(parking.entries[0]?.seq).changes).toBe(1);
  tampering.close();
  expect([...verifySqlite(file)][0]).toHaveProperty("problem.seq", parking.entries[0]?.seq);
});
