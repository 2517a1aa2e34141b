import { apply, type Entry, emptyFloor, type Floor, floorVersion } from "@plenary/floor";
import type { FloorEvent } from "@plenary/protocol";
import { eventsIn, idsIn, scrubbed } from "../../conversation/erasure.ts";
import { type Db, openReader } from "./database.ts";
import { chainOf, digestOf, leafOf, rootOf, sha256 } from "./hash-chain.ts";
import { fromRow } from "./row-codec.ts";

/** The result for one conversation. */
export type VerifyResult = {
  conversation: string;
  entries: number;
  /** Erased entries: their content is gone, their existence is still proved by the chain. */
  erased: number;
  /** Hash of the whole log: a copy kept elsewhere also proves that the end was not cut off. */
  head: string;
  problem?: { seq: number; what: string };
};

type Row = {
  first: number;
  last: number;
  at: string;
  entries: string;
  payload: string;
  digest: string;
  chain: string;
};

type SnapshotRow = { seq: number; version: number; floor: string };

/** Verifies every log from its first entry: hash chain, numbering, erasures, and each snapshot against the fold. */
export function* verifySqlite(file: string): Generator<VerifyResult> {
  const db = openReader(file);
  try {
    const damage = db.pragma("integrity_check(1)", { simple: true });
    if (damage !== "ok")
      yield { conversation: "*", entries: 0, erased: 0, head: "", problem: { seq: 0, what: String(damage) } };
    const conversations = db.prepare<[], { no: number; id: string }>("SELECT no, id FROM conversation ORDER BY id");
    const all = conversations.all();
    const log = rowsOfLog(db);
    // All that is read of one conversation is of one moment, although a floor may write.
    const verifyNext = db.transaction((no: number, id: string) => verifyOne(db, log, no, id));
    for (const { no, id } of all) yield verifyNext(no, id);
    const stray = db.prepare<[], { conversation: number; first: number }>(
      "SELECT conversation, first FROM log WHERE conversation NOT IN (SELECT no FROM conversation) LIMIT 1",
    );
    yield* lostRow(stray.get(), "entries belong to a conversation that does not exist");
    const unplaced = db.prepare<[], { conversation: number; first: number }>(
      `SELECT l.conversation, l.first FROM log l
         LEFT JOIN place p ON p.conversation = l.conversation AND p.first = l.first
       WHERE l.pos <= coalesce((SELECT pos FROM moved), l.pos) AND p.pos IS NOT l.pos
         AND l.conversation IN (SELECT no FROM conversation) LIMIT 1`,
    );
    yield* lostRow(unplaced.get(), "the row is not in the index of its conversation");
  } finally {
    db.close();
  }
}

function* lostRow(row: { conversation: number; first: number } | undefined, what: string): Generator<VerifyResult> {
  if (row === undefined) return;
  const problem = { seq: row.first, what };
  yield { conversation: `#${row.conversation}`, entries: 0, erased: 0, head: "", problem };
}

type LogRows = { of(no: number): Generator<Row>; with(no: number, seq: number): Row | undefined };

const placed = `SELECT l.* FROM place p JOIN log l ON l.pos = p.pos AND l.conversation = p.conversation
  WHERE p.conversation = ?`;
const unplaced = "SELECT * FROM log WHERE pos > (SELECT pos FROM moved) AND conversation = ?";

/** The rows of a conversation in order. Used in a transaction: otherwise rows may be placed between two statements. */
function rowsOfLog(db: Db): LogRows {
  const inOrder = [`${placed} ORDER BY p.first`, `${unplaced} ORDER BY pos`].map((text) =>
    db.prepare<[number], Row>(text),
  );
  const [newest, earlier] = [
    db.prepare<[number, number], Row>(`${unplaced} AND first <= ? ORDER BY pos DESC LIMIT 1`),
    db.prepare<[number, number], Row>(`${placed} AND p.first <= ? ORDER BY p.first DESC LIMIT 1`),
  ];
  return {
    *of(no) {
      for (const rows of inOrder) yield* rows.iterate(no);
    },
    with: (no, seq) => newest.get(no, seq) ?? earlier.get(no, seq),
  };
}

function verifyOne(db: Db, log: LogRows, no: number, id: string): VerifyResult {
  const snapshots = snapshotsOf(db, no);
  const erasures = createErasures(db, log, no);
  let floor = emptyFloor(id);
  let chain = rootOf(id);
  const broken = (seq: number, what: string): VerifyResult => {
    return { conversation: id, entries: floor.seq, erased: erasures.count(), head: chain, problem: { seq, what } };
  };
  for (const row of log.of(no)) {
    const what = faultOf(row, floor.seq, chain, erasures.marksOf(row.first));
    if (what !== undefined) return broken(row.first, what);
    chain = row.chain;
    const folded = foldRow(floor, row, snapshots, erasures);
    if ("problem" in folded) return broken(folded.seq, folded.problem);
    floor = folded.floor;
  }
  const unfounded = erasures.problem();
  if (unfounded !== undefined) return broken(unfounded.seq, unfounded.what);
  const [missing] = snapshots.values();
  if (missing !== undefined) return broken(missing.seq, "a snapshot refers to an entry that does not exist");
  if (floor.seq === 0) return broken(0, "the conversation has no entries");
  return { conversation: id, entries: floor.seq, erased: erasures.count(), head: chain };
}

function faultOf(row: Row, seq: number, before: string, marks: ErasureMarks): string | undefined {
  if (row.first !== seq + 1) return `entry ${seq + 1} is missing`;
  if (!isAsWritten(row, marks)) return "the events do not match their digest";
  if (chainOf(before, row.digest, row.entries) !== row.chain) return "the chain is broken";
  return undefined;
}

/** An erased event must be scrubbed; the hash in its mark replaces the hash of the original. */
function isAsWritten({ payload, digest }: Row, marks: ErasureMarks): boolean {
  // The oldest rows have a digest of the whole payload; erasures in them cannot be verified.
  if (marks.size === 0 && sha256(payload) === digest) return true;
  const events = eventsOf(payload);
  if (events === undefined) return false;
  if ([...marks.keys()].some((place) => place >= events.length)) return false;
  const texts = events.map((event) => JSON.stringify(event));
  // Erasing pads the end with spaces.
  const whole = `[${texts.join(",")}]`;
  if (payload !== (marks.size === 0 ? whole : whole.padEnd(payload.length, " "))) return false;
  const leaves = events.map((event, place) => {
    const [text, scrubbedText] = [texts[place] ?? "", JSON.stringify(scrubbed(event))];
    const originalHash = marks.get(place);
    if (originalHash === undefined) return leafOf(sha256(text), scrubbedText);
    return text === scrubbedText ? leafOf(originalHash, scrubbedText) : "";
  });
  return digestOf(leaves) === digest;
}

function eventsOf(payload: string): FloorEvent[] | undefined {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}

type ReplayedFloor = { floor: Floor } | { seq: number; problem: string };

function foldRow(floor: Floor, row: Row, snapshots: Map<number, SnapshotRow>, erasures: Erasures): ReplayedFloor {
  let after = floor;
  const entries: Entry[] = fromRow(row);
  erasures.read(row, entries);
  if (entries[0]?.at !== row.at)
    return { seq: row.first, problem: "the time of the row differs from the time of its entries" };
  for (const entry of entries) {
    if (entry.seq !== after.seq + 1) return { seq: entry.seq, problem: "the numbering is broken" };
    after = apply(after, entry);
    const snapshot = snapshots.get(entry.seq);
    snapshots.delete(entry.seq);
    if (snapshot?.version === floorVersion && snapshot.floor !== JSON.stringify(after)) {
      return { seq: entry.seq, problem: "the snapshot differs from the fold of the log" };
    }
  }
  if (after.seq !== row.last) return { seq: row.last, problem: "the numbering is broken" };
  return { floor: after };
}

function snapshotsOf(db: Db, no: number): Map<number, SnapshotRow> {
  const rows = db.prepare<[number], SnapshotRow>("SELECT seq, version, floor FROM snapshot WHERE conversation = ?");
  return new Map(rows.all(no).map((row) => [row.seq, row]));
}

/** Indexes of erased events in one row, with the hash of the original event. */
type ErasureMarks = ReadonlyMap<number, string>;

/** Checks that scrubbed events and `erased` entries match. */
type Erasures = {
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

function createErasures(db: Db, log: LogRows, no: number): Erasures {
  const marks = marksIn(db, no);
  const marked: MarkedDecision[] = [];
  const commands: EraseCommand[] = [];
  const unread = new Set(marks.keys());
  const isNamed = ({ first, last }: MarkedDecision) => commands.some(({ erases }) => erases >= first && erases <= last);

  function isUndone({ erases }: EraseCommand): boolean {
    const row = log.with(no, erases);
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
  const rows = db.prepare<[number], { first: number; place: number; said: string }>(
    "SELECT first, place, said FROM erased WHERE conversation = ? ORDER BY first",
  );
  const marks = new Map<number, Map<number, string>>();
  for (const { first, place, said } of rows.all(no)) {
    marks.set(first, (marks.get(first) ?? new Map()).set(place, said));
  }
  return marks;
}
