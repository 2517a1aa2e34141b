// Writes of a group fail alone; memory that follows the hooks is never ahead of the file.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createGroupCommit } from "./group-commit.ts";

type Write = {
  key: string;
  /** before and after: it throws before or after its row. commit: it makes the COMMIT fail. all: it ends the transaction. */
  fails: "no" | "before" | "after" | "commit" | "all";
};

const write = fc.record<Write>({
  key: fc.constantFrom("a", "b", "c"),
  fails: fc.oneof(
    { weight: 12, arbitrary: fc.constant("no" as const) },
    { weight: 3, arbitrary: fc.constantFrom("before" as const, "after" as const) },
    { weight: 1, arbitrary: fc.constantFrom("commit" as const, "all" as const) },
  ),
});
const groupsOfWrites = fc.array(
  fc.record({ writes: fc.array(write, { maxLength: 8 }), isMoveBroken: fc.nat(9).map((roll) => roll === 0) }),
  { maxLength: 6 },
);

function open(file: string) {
  const db = new Database(file, { timeout: 0 });
  db.exec(`
    CREATE TABLE written (no INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE moved (no INTEGER NOT NULL) STRICT;
    CREATE TABLE absent (no INTEGER REFERENCES written (no) DEFERRABLE INITIALLY DEFERRED) STRICT;
  `);
  return db;
}

/** Keeps in memory which rows were written, as the backlog does. */
function createTrial(file = ":memory:") {
  const db = open(file);
  const add = db.prepare<[number]>("INSERT INTO written VALUES (?)");
  const move = db.prepare("INSERT INTO moved VALUES (1)");
  const trial = { memory: [] as number[], durable: [] as number[], lost: [] as number[], isMoveBroken: false };
  let commit = () => {};
  const soon = (run: () => void) => {
    commit = run;
  };
  const hooks = {
    beforeWrite() {
      const before = trial.memory.length;
      return () => {
        trial.memory.length = before;
      };
    },
    beforeCommit() {
      move.run();
      if (trial.isMoveBroken) throw new Error("disk full");
    },
    onRollback() {
      trial.memory = [...trial.durable];
    },
    onDurable() {
      trial.durable = [...trial.memory];
    },
  };
  const groups = createGroupCommit(db, { soon }, hooks);
  function put(no: number, { key, fails }: Write): Promise<string> {
    const run = () => {
      if (fails === "before") throw new Error("before");
      add.run(no);
      trial.memory.push(no);
      if (fails === "after") throw new Error("after");
      if (fails === "all") db.exec("ROLLBACK; SELECT * FROM nowhere");
      if (fails === "commit") db.exec("INSERT INTO absent VALUES (-1)");
    };
    const written = groups.join(run, { key, onLost: () => trial.lost.push(no) });
    return written.catch(({ code }) => code);
  }
  const rows = () => db.prepare<[], number>("SELECT no FROM written ORDER BY no").pluck().all();
  return { trial, put, rows, groups, commit: () => commit(), close: () => db.close() };
}

/** What each write of a group must become. */
function expectedOf(writes: readonly Write[], isMoveBroken: boolean): string[] {
  const failed = new Set<string>();
  const outcomes = writes.map(({ key, fails }) => {
    if (failed.has(key)) return "conflict";
    if (fails === "no" || fails === "commit" || fails === "all") return fails;
    failed.add(key);
    return "store-write";
  });
  const isWhole = !isMoveBroken && !outcomes.includes("commit") && !outcomes.includes("all");
  return isWhole ? outcomes.map((one) => (one === "no" ? "appended" : one)) : outcomes.map(() => "store-write");
}

test("each write of a group is written whole, or lost alone with what stands on it, and memory follows the file", async () => {
  await fc.assert(
    fc.asyncProperty(groupsOfWrites, async (list) => {
      const { trial, put, rows, groups, commit, close } = createTrial();
      let no = 0;
      let count = 0;
      for (const { writes, isMoveBroken } of list) {
        trial.isMoveBroken = isMoveBroken;
        trial.lost = [];
        const numbers = writes.map(() => ++no);
        const answers = writes.map((one, index) => put(numbers[index] ?? 0, one));
        commit();
        const outcomes = await Promise.all(answers);
        expect(outcomes).toEqual(expectedOf(writes, isMoveBroken));
        expect(rows()).toEqual(trial.memory);
        expect(trial.durable).toEqual(trial.memory);
        const lost = numbers.filter((_, index) => outcomes[index] !== "appended");
        expect([...new Set(trial.lost)].sort((one, other) => one - other)).toEqual(lost);
        count += outcomes.filter((outcome) => outcome === "appended").length;
      }
      expect([trial.memory.length, groups.figures().writes]).toEqual([count, count]);
      close();
    }),
    { numRuns: 300 },
  );
});

test("a group that cannot begin, because another process writes, is lost, and the next one is written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plenary-groups-"));
  const trial = createTrial(join(folder, "groups.db"));
  const outside = new Database(join(folder, "groups.db"));
  outside.exec("BEGIN IMMEDIATE");
  const writing = [trial.put(1, { key: "a", fails: "no" }), trial.put(2, { key: "b", fails: "no" })];
  trial.commit();
  expect(await Promise.all(writing)).toEqual(["store-write", "store-write"]);
  expect([trial.trial.memory, trial.trial.lost]).toEqual([[], [1, 2]]);
  outside.exec("ROLLBACK");
  outside.close();
  const next = trial.put(3, { key: "a", fails: "no" });
  trial.commit();
  expect([await next, trial.rows(), trial.trial.memory]).toEqual(["appended", [3], [3]]);
  trial.close();
  rmSync(folder, { recursive: true });
});

test("a group of the maximum size is committed at once", async () => {
  const { put, rows, commit, close } = createTrial();
  const writing = Array.from({ length: 513 }, (_, no) => put(no, { key: String(no), fails: "no" }));
  expect(rows()).toHaveLength(512);
  commit();
  expect(new Set(await Promise.all(writing))).toEqual(new Set(["appended"]));
  expect(rows()).toHaveLength(513);
  close();
});
