import type { Entry } from "@plenary/floor";
import type { FloorEvent } from "@plenary/protocol";
import { eventsIn, idsIn, scrubbed } from "../../conversation/erasure.ts";
import type { Db } from "./database.ts";
import { fromRow } from "./row-codec.ts";

/** Indexes of erased events in one row, with the hash of the original event. */
export type ErasureMarks = ReadonlyMap<number, string>;

/** Checks that scrubbed events and `erased` entries match. */
export type Erasures = {
  marksOf(first: number): ErasureMarks;
  /** Called for each row, in order. */
  read(row: { first: number; last: number; payload: string }, entries: readonly Entry[]): void;
  count(): number;
  /** Called after the last row. */
  problem(): { seq: number; what: string } | undefined;
};

const none: ErasureMarks = new Map();

type MarkedDecision = { first: number; last: number; events: readonly FloorEvent[] };
type EraseCommand = { erases: number };

export function createErasures(db: Db, no: number): Erasures {
  const marks = marksIn(db, no);
  const marked: MarkedDecision[] = [];
  const commands: EraseCommand[] = [];
  const rowWith = db.prepare<[number, number], { entries: string; payload: string }>(
    "SELECT entries, payload FROM log WHERE conversation = ? AND first <= ? ORDER BY first DESC LIMIT 1",
  );
  const unread = new Set(marks.keys());
  const isNamed = ({ first, last }: MarkedDecision) => commands.some(({ erases }) => erases >= first && erases <= last);

  function isUndone({ erases }: EraseCommand): boolean {
    const row = rowWith.get(no, erases);
    const entry = row && fromRow(row).find(({ seq }) => seq === erases);
    return entry !== undefined && eventsIn(entry).some(hasWords);
  }

  function unfounded(): { seq: number; what: string } | undefined {
    const named = marked.filter(isNamed);
    const ids = new Set(named.flatMap(({ events }) => events.flatMap(idsIn)));
    const stray = marked.find((row) => {
      return !named.includes(row) && !row.events.every((event) => idsIn(event).some((id) => ids.has(id)));
    });
    return stray && { seq: stray.first, what: "an event was scrubbed, and no entry erases it" };
  }

  return {
    marksOf: (first) => marks.get(first) ?? none,
    read({ first, last, payload }, entries) {
      const places = marks.get(first);
      unread.delete(first);
      for (const entry of entries) if (entry.kind === "erased") commands.push(entry);
      if (places === undefined) return;
      const events: FloorEvent[] = JSON.parse(payload);
      marked.push({ first, last, events: events.filter((_, place) => places.has(place)) });
    },
    count: () => new Set(commands.map(({ erases }) => erases)).size,
    problem() {
      const [lost] = unread;
      if (lost !== undefined) return { seq: lost, what: "an erasure mark refers to an entry that does not exist" };
      const undone = commands.find(isUndone);
      if (undone !== undefined) return { seq: undone.erases, what: "an erased event has its content again" };
      return unfounded();
    },
  };
}

function hasWords(event: FloorEvent): boolean {
  return JSON.stringify(event) !== JSON.stringify(scrubbed(event));
}

function marksIn(db: Db, no: number): Map<number, Map<number, string>> {
  // A store of an older Plenary has no such table and no erasures.
  const isThere = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'erased'").get() !== undefined;
  if (!isThere) return new Map();
  const rows = db.prepare<[number], { first: number; place: number; said: string }>(
    "SELECT first, place, said FROM erased WHERE conversation = ? ORDER BY first",
  );
  const marks = new Map<number, Map<number, string>>();
  for (const { first, place, said } of rows.all(no)) {
    marks.set(first, (marks.get(first) ?? new Map()).set(place, said));
  }
  return marks;
}
