import { createHash } from "node:crypto";
import { join } from "node:path";
import { decide, type Floor } from "@plenary/floor";
import { createSqliteStore, verifySqlite } from "@plenary/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isNightly, report } from "../support/nightly.ts";
import { newSeed, seeded } from "../support/random.ts";
import { createProcesses, type Processes, verify } from "../support/start-plenary-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { createLife } from "./decisions.ts";
import { gaps, lost, readLog } from "./log-checks.ts";
import { changeOf } from "./prefill.ts";
import { createGate, newTalker, talk } from "./senders.ts";
import { openSqlite, type SqliteFile } from "./sqlite-file.ts";

const steps = isNightly ? 1_500 : 300;
const conversations = 2;
const rowsTried = isNightly ? 500 : 20;

let processes: Processes;

beforeAll(() => {
  processes = createProcesses();
});

afterAll(() => processes.close());

/** True when verify reports a fault of the file, or cannot even read it. */
function isFound(file: string): boolean {
  try {
    return [...verifySqlite(file)].some(({ problem }) => problem !== undefined);
  } catch {
    return true;
  }
}

/** Another character of the same alphabet in one place. */
function flipped(text: string, random: (below: number) => number): string {
  const at = random(text.length);
  const code = text.charCodeAt(at);
  // Changing the lowest bit of a quote or a backslash may break the text, which would be found for another reason.
  return `${text.slice(0, at)}${String.fromCharCode(code ^ 1)}${text.slice(at + 1)}`;
}

type Json = Record<string, unknown>;
type Row = Record<string, unknown> & { pos: number; conversation: number; first: number; last: number };

const contents = ["at", "entries", "payload", "digest", "chain"];

async function filled(file: string, random: (below: number) => number): Promise<void> {
  const store = createSqliteStore(file);
  const life = createLife(random, conversations);
  for (let count = 0; count < steps; count += 1) {
    for (const { conversation, change, expectedSeq } of life.next(1)) {
      expect(await store.log.append(conversation, change, expectedSeq)).toBe("appended");
    }
  }
  await store.close();
}

/** Changes the file, runs verify, and restores the file. */
function tryOut(db: SqliteFile, file: string, damage: () => void): boolean {
  db.exec("BEGIN IMMEDIATE");
  damage();
  db.exec("COMMIT");
  return isFound(file);
}

test("verify detects a changed byte, a missing row and a moved row", async () => {
  const seed = newSeed("corruption");
  const random = seeded(seed);
  const file = join(processes.folder, "floor.db");
  await filled(file, random);
  expect(isFound(file)).toBe(false);
  const db = openSqlite(file);
  const rows = db.prepare("SELECT * FROM log ORDER BY pos").all() as Row[];
  const isLast = (row: Row) =>
    !rows.some((other) => other.conversation === row.conversation && other.first > row.first);
  const set = (row: Row, column: string, value: unknown) =>
    db.prepare(`UPDATE log SET ${column} = ? WHERE pos = ?`).run(value, row.pos);
  const restore = (row: Row) => {
    const columns = Object.keys(row);
    const marks = columns.map(() => "?").join(", ");
    const sql = `INSERT OR REPLACE INTO log (${columns.join(", ")}) VALUES (${marks})`;
    db.prepare(sql).run(...columns.map((column) => row[column]));
  };
  const tried: Record<string, number> = {};
  const missed: string[] = [];
  const attempt = (kind: string, about: string, damage: () => void, mend: () => void) => {
    tried[kind] = (tried[kind] ?? 0) + 1;
    if (!tryOut(db, file, damage)) missed.push(`${kind} ${about}`);
    mend();
  };
  for (let count = 0; count < rowsTried; count += 1) {
    const row = rows[random(rows.length)] as Row;
    const other = rows[(rows.indexOf(row) + 1 + random(rows.length - 1)) % rows.length] as Row;
    const both = () => [row, other].forEach(restore);
    for (const column of contents) {
      const changed = flipped(String(row[column]), random);
      attempt(
        `byte of ${column}`,
        `at ${row.pos}`,
        () => set(row, column, changed),
        () => restore(row),
      );
    }
    if (!isLast(row)) {
      const remove = () => db.prepare("DELETE FROM log WHERE pos = ?").run(row.pos);
      attempt("deleted row", `at ${row.pos}`, remove, () => restore(row));
    }
    const swap = () => {
      for (const column of contents) {
        set(row, column, other[column]);
        set(other, column, row[column]);
      }
    };
    attempt("swapped rows", `${row.pos} and ${other.pos}`, swap, both);
    const elsewhere = rows.find(({ conversation }) => conversation !== row.conversation)?.conversation ?? 0;
    const end = Math.max(...rows.filter(({ conversation }) => conversation === elsewhere).map(({ last }) => last));
    const place = [elsewhere, end + 1, end + 1 + row.last - row.first, row.pos];
    const move = () => db.prepare("UPDATE log SET conversation = ?, first = ?, last = ? WHERE pos = ?").run(...place);
    attempt("moved row", `at ${row.pos}`, move, () => restore(row));
  }
  const snapshots = db.prepare("SELECT conversation, seq, floor FROM snapshot").all();
  expect(snapshots.length).toBeGreaterThan(0);
  for (const { conversation, seq, floor } of snapshots) {
    const write = (text: unknown) =>
      db.prepare("UPDATE snapshot SET floor = ? WHERE conversation = ? AND seq = ?").run(text, conversation, seq);
    attempt(
      "byte of a snapshot",
      `${conversation} ${seq}`,
      () => write(flipped(String(floor), random)),
      () => write(floor),
    );
  }
  expect(isFound(file)).toBe(false);
  // A log whose end was cut off is shorter and whole; only a head that was kept elsewhere reveals it.
  const heads = () => [...verifySqlite(file)].map(({ head }) => head).join(" ");
  const before = heads();
  db.prepare("DELETE FROM log WHERE pos = ?").run((rows.find(isLast) as Row).pos);
  expect(heads()).not.toBe(before);
  db.close();
  const total = Object.values(tried).reduce((sum, count) => sum + count, 0);
  report(`corruption: seed ${seed}, ${total - missed.length} of ${total} found: ${JSON.stringify(tried)}`);
  expect(missed).toEqual([]);
});

/** Has some utterances of each conversation erased; returns their places and their former content. */
async function erased(file: string, count: number): Promise<{ rows: Row[]; before: Map<number, Row> }> {
  const db = openSqlite(file);
  const rowsNow = () => db.prepare("SELECT * FROM log ORDER BY pos").all() as Row[];
  const before = new Map(rowsNow().map((row) => [row.pos, row]));
  const store = createSqliteStore(file);
  for (const { id } of await store.log.list({ limit: 100 })) {
    const entries = await store.log.entries(id, { after: 0, limit: 10_000 });
    const spoken = entries.filter((entry) => entry.kind === "event" && entry.event.eventType === "utterance");
    for (const { seq } of spoken.slice(0, count)) {
      const floor = (await store.log.load(id)) as Floor;
      const decision = decide(
        floor,
        { kind: "command", command: { verb: "erase", seq }, by: "operator" },
        "2026-01-02",
      );
      expect(await store.log.append(id, changeOf(decision), floor.seq)).toBe("appended");
    }
  }
  await store.close();
  const rows = rowsNow().filter(({ pos, payload }) => before.has(pos) && before.get(pos)?.payload !== payload);
  db.close();
  return { rows, before };
}

/** An event without its text, as the store leaves it. */
function bare(event: Json): Json {
  const { id, speakerUri, span } = (event.parameters as { dialogEvent: Json }).dialogEvent;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: "[erased]" }] } };
  const { eventType, to } = event;
  return {
    eventType,
    ...(to !== undefined && { to }),
    parameters: { dialogEvent: { id, speakerUri, span, features } },
  };
}

test("verify covers an erased entry: text that is inserted, restored or erased without a command is detected", async () => {
  const seed = newSeed("corruption");
  const random = seeded(seed);
  const file = join(processes.folder, "erased.db");
  await filled(file, random);
  const { rows, before } = await erased(file, 10);
  expect(rows.length).toBeGreaterThanOrEqual(20);
  expect(isFound(file)).toBe(false);
  expect([...verifySqlite(file)].map((verdict) => verdict.erased)).toEqual([10, 10]);
  const db = openSqlite(file);
  const missed: string[] = [];
  let tried = 0;
  const attempt = (what: string, row: Row, damage: () => void) => {
    const marks = db.prepare("SELECT * FROM erased WHERE conversation = ?").all(row.conversation);
    tried += 1;
    damage();
    if (!isFound(file)) missed.push(`${what} at ${row.pos}`);
    db.prepare("UPDATE log SET payload = ? WHERE pos = ?").run(row.payload, row.pos);
    db.prepare("DELETE FROM erased WHERE conversation = ?").run(row.conversation);
    for (const { conversation, first, place, said } of marks) {
      db.prepare("INSERT INTO erased VALUES (?, ?, ?, ?)").run(conversation, first, place, said);
    }
  };
  const write = (row: Row, payload: string) =>
    db.prepare("UPDATE log SET payload = ? WHERE pos = ?").run(payload, row.pos);
  const unmark = (row: Row) =>
    db.prepare("DELETE FROM erased WHERE conversation = ? AND first = ?").run(row.conversation, row.first);
  const mark = (row: Row, place: number, said: string) =>
    db.prepare("INSERT INTO erased VALUES (?, ?, ?, ?)").run(row.conversation, row.first, place, said);
  for (const row of rows) {
    const payload = String(row.payload);
    const original = String(before.get(row.pos)?.payload);
    for (let count = 0; count < 4; count += 1) attempt("byte", row, () => write(row, flipped(payload, random)));
    attempt("other words", row, () => write(row, payload.replace("[erased]", "[I quit]")));
    attempt("more words", row, () => write(row, payload.replace("[erased]", "[erased] and I quit")));
    attempt("words beside it", row, () => write(row, payload.replace('"features":{', '"note":"I quit","features":{')));
    attempt("words brought back", row, () => write(row, original));
    attempt("words and marks brought back", row, () => {
      write(row, original);
      unmark(row);
    });
    attempt("mark taken", row, () => unmark(row));
    attempt("mark of nothing", row, () => mark(row, 99, "x"));
    const change = "UPDATE erased SET said = ? WHERE conversation = ? AND first = ?";
    attempt("other mark", row, () => db.prepare(change).run("x", row.conversation, row.first));
  }
  for (const row of [...before.values()].filter(({ pos }) => !rows.some((one) => one.pos === pos)).slice(0, 40)) {
    const events = JSON.parse(String(row.payload)) as Json[];
    const [event] = events;
    if (event?.eventType !== "utterance") continue;
    attempt("erased unasked", row, () => {
      write(row, JSON.stringify([bare(event), ...events.slice(1)]));
      mark(row, 0, createHash("sha256").update(JSON.stringify(event)).digest("base64url"));
    });
  }
  expect(isFound(file)).toBe(false);
  db.close();
  report(`corruption: seed ${seed}, ${tried - missed.length} of ${tried} changes around erased entries found`);
  expect(missed).toEqual([]);
});

test("a backup taken under load is a prefix of every log, holds what was acknowledged before it, and can be served", async () => {
  const file = join(processes.folder, "busy.db");
  const copy = join(processes.folder, "backup.db");
  const floor = await processes.startFloor(file);
  const gate = createGate();
  gate.let(floor.url);
  const talkers = Array.from({ length: 10 }, (_, index) => newTalker(`c${index}`));
  let isOver = false;
  const talking = Promise.all(talkers.map((talker) => talk(talker, gate, () => isOver)));
  const spoken = () => talkers.reduce((count, { acknowledged }) => count + acknowledged.length, 0);
  await waitFor(async () => talkers.every(({ acknowledged }) => acknowledged.length >= 10) || undefined, "some words");
  const before = talkers.map((talker) => ({ ...talker, acknowledged: [...talker.acknowledged] }));
  const reader = openSqlite(file, { readonly: true });
  await reader.backup(copy);
  reader.close();
  const wanted = spoken() + 100;
  await waitFor(async () => spoken() >= wanted || undefined, "words after the backup");
  isOver = true;
  await talking;
  const logs = await Promise.all(talkers.map(({ conversation, speaker }) => readLog(floor.url, conversation, speaker)));
  await floor.stop("SIGTERM");

  expect(await verify(processes, copy)).toMatchObject({ exitCode: 0 });
  const restored = await processes.startFloor(copy);
  const problems: string[] = [];
  let [kept, whole] = [0, 0];
  for (const [index, talker] of before.entries()) {
    const log = await readLog(restored.url, talker.conversation, talker.speaker);
    const original = logs[index] ?? [];
    kept += log.length;
    whole += original.length;
    problems.push(...gaps(log), ...lost(log, talker));
    const at = log.findIndex((entry, place) => JSON.stringify(entry) !== JSON.stringify(original[place]));
    if (at !== -1) problems.push(`${talker.conversation}: entry ${at + 1} differs from the original`);
  }
  const more = newTalker("c0");
  const again = createGate();
  again.let(restored.url);
  await talk(more, again, () => more.acknowledged.length > 0);
  await restored.stop("SIGTERM");
  report(
    `corruption: a backup under load held ${kept} of the ${whole} entries there were in the end, ${problems.length} violations`,
  );
  expect(problems).toEqual([]);
  expect(kept).toBeLessThan(whole);
});
