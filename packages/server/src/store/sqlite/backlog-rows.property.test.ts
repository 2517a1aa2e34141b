import fc from "fast-check";
import { expect, test } from "vitest";
import { BacklogRows } from "./backlog-rows.ts";

const conversations = [1, 2, 3];

type Act =
  | { kind: "add"; no: number; sent: number }
  | { kind: "settle"; no: number; pos: number }
  | { kind: "take"; count: number };

const no = fc.constantFrom(...conversations);
const act = fc.oneof<fc.Arbitrary<Act>[]>(
  fc.record({ kind: fc.constant("add" as const), no, sent: fc.nat(3) }),
  fc.record({ kind: fc.constant("settle" as const), no, pos: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant("take" as const), count: fc.nat(5) }),
);
const acts = fc.array(act, { maxLength: 20 });

const ids = ["u0", "u1", "u2"];
const namesOf = (pos: number) => [{ sender: "ann", dialogEventId: `u${pos % ids.length}` }];

/** The rows that name each utterance, by the index and by looking at all rows. */
function expectIndex(rows: BacklogRows): void {
  for (const one of conversations) {
    for (const id of ids) {
      const naming = rows.of(one).filter(({ names }) => names.some(({ dialogEventId }) => dialogEventId === id));
      expect(rows.naming(one, id)).toEqual(naming);
    }
  }
}

function run(rows: BacklogRows, list: readonly Act[]): void {
  for (const one of list) {
    if (one.kind === "take") rows.take(one.count);
    else if (one.kind === "settle") rows.settle(one.no, `d${one.pos}.0`);
    else {
      const pos = rows.lastPos() + 1;
      const sent = Array.from({ length: one.sent }, (_, rank) => ({ delivery: `d${pos}.${rank}`, body: "{}" }));
      rows.add({ no: one.no, pos, first: pos, last: pos, names: namesOf(pos), sent });
    }
  }
}

const stateOf = (rows: BacklogRows) =>
  structuredClone([rows.all(), conversations.map((one) => rows.of(one)), rows.lastPos()]);

test("changes are undone exactly, since a mark and since the begin of the transaction", () => {
  fc.assert(
    fc.property(acts, acts, acts, acts, (durable, kept, failed, next) => {
      const rows = new BacklogRows();
      run(rows, durable);
      rows.keep();
      const atBegin = stateOf(rows);
      run(rows, kept);
      const beforeFailed = stateOf(rows);
      const mark = rows.mark();
      run(rows, failed);
      expectIndex(rows);
      rows.undoTo(mark);
      expectIndex(rows);
      expect(stateOf(rows)).toEqual(beforeFailed);
      run(rows, next);
      expectIndex(rows);
      rows.undoTo(0);
      expectIndex(rows);
      expect(stateOf(rows)).toEqual(atBegin);
    }),
  );
});

test("each row is in its conversation, in order, until it is taken, oldest first", () => {
  fc.assert(
    fc.property(acts, (list) => {
      const rows = new BacklogRows();
      const taken: number[] = [];
      for (const one of list) {
        if (one.kind === "take") taken.push(...rows.take(one.count).map(({ pos }) => pos));
        else run(rows, [one]);
      }
      const left = rows.all().map(({ pos }) => pos);
      expect([...taken, ...left]).toEqual(Array.from({ length: rows.lastPos() }, (_, index) => index + 1));
      for (const one of conversations) expect(rows.of(one)).toEqual(rows.all().filter((row) => row.no === one));
    }),
  );
});

test("a delivery ends once, in its conversation only, and the others of its row stay", () => {
  const rows = new BacklogRows();
  run(rows, [
    { kind: "add", no: 1, sent: 3 },
    { kind: "add", no: 2, sent: 1 },
  ]);
  expect(rows.settle(2, "d1.1")).toBeUndefined();
  expect(rows.settle(1, "d1.1")?.pos).toBe(1);
  expect(rows.settle(1, "d1.1")).toBeUndefined();
  expect(rows.of(1)[0]?.sent.map(({ delivery }) => delivery)).toEqual(["d1.0", "d1.2"]);
  expect(rows.settle(2, "d2.0")?.pos).toBe(2);
  expect(rows.of(2)[0]?.sent).toEqual([]);
});

test("an empty backlog begins after the last row of the log, and nothing before that is undone", () => {
  const rows = new BacklogRows();
  run(rows, [{ kind: "add", no: 1, sent: 1 }]);
  rows.clear(41);
  rows.undoTo(0);
  expect(stateOf(rows)).toEqual([[], conversations.map(() => []), 41]);
});
