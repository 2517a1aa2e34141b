import { apply, type Entry, emptyFloor, type Floor, floorVersion } from "@plenary/floor";
import type { DialogEvent } from "@plenary/protocol";
import { matchingWhispers, whisperMark } from "../../conversation/whisper-match.ts";
import type { ConversationLog, ConversationSummary, ListQuery } from "../../ports/conversation-log.ts";
import { operatorKey } from "../entry-index.ts";
import { type Db, openReader } from "./database.ts";
import { fromRow } from "./row-codec.ts";

type LogRow = { conversation: number; first: number; last: number; entries: string; payload: string };
type HeadRow = { conversation: number; last: number; at: string; chain: string };

export type SqliteReader = {
  noOf(conversationId: string): number | undefined;
  entries(no: number, range: { after: number; limit: number }): Entry[];
  /** The entries of the row that begins at `first`. */
  row(no: number, first: number): Entry[];
  /**
   * The floor after entry `seq`, or the newest; undefined when the log is shorter. `earlier`: a known floor of the same
   * conversation, not after `seq`, to start from.
   */
  floor(no: number, id: string, seq?: number, earlier?: Floor): { floor: Floor; snapshotSeq: number } | undefined;
  chain(no: number): string | undefined;
  /** Ids of the utterances in the table, at most `limit`. */
  utteranceIds(no: number, limit: number): string[];
  list(query: ListQuery): ConversationSummary[];
  count(): number;
};

/** The place of a row: the number of its first entry, and its position in the log. */
type RowPlace = { first: number; pos: number };

/** The rows of a conversation that the table `place` lacks, in order. */
export type UnplacedRows = (no: number) => readonly RowPlace[];

/** Finds the rows of a conversation, in the tables and behind them. */
function createRowSearch(sql: Sql, unplacedRows: UnplacedRows) {
  /** From the row that contains entry `after + 1` on. */
  function* rowsAfter(no: number, after: number, limit: number): Generator<LogRow> {
    const unplaced = unplacedRows(no);
    // The last row that begins there or before.
    const begun = unplaced.findLastIndex(({ first }) => first <= after + 1);
    let [count, last] = [0, 0];
    if (begun === -1) {
      const from = sql.placeWith.get(no, after + 1)?.first ?? 0;
      for (const row of sql.rows.iterate(no, from, limit)) {
        [count, last] = [count + 1, row.first];
        yield row;
      }
    }
    for (const { first, pos } of unplaced.slice(Math.max(begun, 0))) {
      if (count === limit) return;
      // Another process may have placed it in the meantime.
      if (first <= last) continue;
      const row = sql.row.get(pos);
      if (row?.conversation !== no) return;
      count += 1;
      yield row;
    }
  }

  function headOf(no: number): HeadRow | undefined {
    const unplaced = unplacedRows(no);
    for (let index = unplaced.length - 1; index >= 0; index -= 1) {
      const row = sql.headRow.get(unplaced[index]?.pos ?? 0);
      if (row?.conversation === no) return row;
    }
    const place = sql.placeWith.get(no, Number.MAX_SAFE_INTEGER);
    return place && sql.headRow.get(place.pos);
  }

  return { rowsAfter, headOf };
}

/** On the writer's connection it also sees changes that are not committed; on others durable data only. */
export function createReader(db: Db, unplacedRows: UnplacedRows): SqliteReader {
  const sql = prepare(db);
  const { rowsAfter, headOf } = createRowSearch(sql, unplacedRows);

  function summary(row: ConversationRow): ConversationSummary {
    const head = headOf(row.no);
    return {
      id: row.id,
      seq: head?.last ?? 0,
      startedAt: row.started,
      updatedAt: head?.at ?? row.started,
      isClosed: row.closed === 1,
      ...(row.title !== null && { title: row.title }),
      ...(row.parent !== null && { parent: row.parent }),
    };
  }

  return {
    noOf: (id) => sql.no.get(id)?.no,
    entries(no, { after, limit }) {
      const found: Entry[] = [];
      // The first row may contain only entries up to `after`.
      for (const row of rowsAfter(no, Math.max(0, after), limit + 1)) {
        for (const entry of fromRow(row)) if (entry.seq > after && found.length < limit) found.push(entry);
      }
      return found;
    },
    floor(no, id, seq = Number.MAX_SAFE_INTEGER, earlier) {
      const snapshot = sql.snapshot.get(no, seq, floorVersion);
      let floor = earlier ?? emptyFloor(id);
      // Starts from the later of the two.
      if (snapshot !== undefined && snapshot.seq > floor.seq) floor = JSON.parse(snapshot.floor);
      for (const row of rowsAfter(no, floor.seq, -1)) {
        for (const entry of fromRow(row)) if (entry.seq > floor.seq && entry.seq <= seq) floor = apply(floor, entry);
        if (row.last >= seq) break;
      }
      const isThere = floor.seq > 0 && (seq === Number.MAX_SAFE_INTEGER || floor.seq === seq);
      return isThere ? { floor, snapshotSeq: snapshot?.seq ?? 0 } : undefined;
    },
    row(no, first) {
      const unplaced = unplacedRows(no).find((one) => one.first === first);
      const pos = unplaced?.pos ?? sql.placeWith.get(no, first)?.pos;
      const row = pos === undefined ? undefined : sql.row.get(pos);
      return row?.conversation === no && row.first === first ? fromRow(row) : [];
    },
    chain: (no) => headOf(no)?.chain,
    utteranceIds: (no, limit) => sql.utteranceIds.all(no, limit),
    list({ after = "", limit, speaker = operatorKey, parent = null }) {
      const list = speaker === operatorKey ? sql.list : sql.listFor;
      return list.all({ speaker, after, parent, limit }).map(summary);
    },
    count: () => sql.count.get()?.count ?? 0,
  };
}

type ConversationRow = {
  no: number;
  id: string;
  started: string;
  closed: number;
  title: string | null;
  parent: string | null;
};

type ListParameters = { speaker: string; after: string; parent: string | null; limit: number };

const listed = `SELECT c.*, t.title, p.parent`;
const known = `LEFT JOIN title t ON t.conversation = c.no AND t.speaker = :speaker
       LEFT JOIN parent p ON p.conversation = c.no`;
const page = `c.id > :after AND (:parent IS NULL OR p.parent = :parent) ORDER BY c.id LIMIT :limit`;

type Sql = ReturnType<typeof prepare>;

function prepare(db: Db) {
  return {
    no: db.prepare<[string], { no: number }>("SELECT no FROM conversation WHERE id = ?"),
    /** The row that contains the entry, or the last row before it. */
    placeWith: db.prepare<[number, number], RowPlace>(
      "SELECT first, pos FROM place WHERE conversation = ? AND first <= ? ORDER BY first DESC LIMIT 1",
    ),
    rows: db.prepare<[number, number, number], LogRow>(
      `SELECT l.conversation, l.first, l.last, l.entries, l.payload FROM place p JOIN log l ON l.pos = p.pos
       WHERE p.conversation = ? AND p.first >= ? ORDER BY p.first LIMIT ?`,
    ),
    row: db.prepare<[number], LogRow>("SELECT conversation, first, last, entries, payload FROM log WHERE pos = ?"),
    headRow: db.prepare<[number], HeadRow>("SELECT conversation, last, at, chain FROM log WHERE pos = ?"),
    utteranceIds: db
      .prepare<[number, number], string>("SELECT id FROM utterance WHERE conversation = ? LIMIT ?")
      .pluck() as unknown as { all(no: number, limit: number): string[] },
    snapshot: db.prepare<[number, number, number], { seq: number; floor: string }>(
      `SELECT seq, floor FROM snapshot WHERE conversation = ? AND seq <= ? AND version = ? ORDER BY seq DESC LIMIT 1`,
    ),
    list: db.prepare<[ListParameters], ConversationRow>(`${listed} FROM conversation c ${known} WHERE ${page}`),
    listFor: db.prepare<[ListParameters], ConversationRow>(
      `${listed} FROM viewer v JOIN conversation c ON c.no = v.conversation ${known}
       WHERE v.speaker = :speaker AND ${page}`,
    ),
    count: db.prepare<[], { count: number }>("SELECT count(*) AS count FROM conversation"),
  };
}

/** Reads conversations of a store without writing; a floor may use the store at the same time. */
export type LogFile = Pick<ConversationLog, "entries" | "list" | "load"> & { close(): void };

export function openLogFile(file: string): LogFile {
  const db = openReader(file);
  const reader = createReader(db, unplacedRowsIn(db));
  return {
    load(id) {
      const no = reader.noOf(id);
      return no === undefined ? undefined : reader.floor(no, id)?.floor;
    },
    async entries(id, range) {
      const no = reader.noOf(id);
      return no === undefined ? [] : reader.entries(no, range);
    },
    list: async (query) => reader.list(query),
    close: () => db.close(),
  };
}

/** All rows of the log with their places. */
export const located = `SELECT conversation, first, pos FROM place
  UNION SELECT conversation, first, pos FROM log WHERE pos > (SELECT pos FROM moved)`;

/** For connections of other processes: the floor may add and move rows at any time. */
function unplacedRowsIn(db: Db): UnplacedRows {
  const rows = db.prepare<[number], RowPlace>(
    "SELECT first, pos FROM log WHERE pos > (SELECT pos FROM moved) AND conversation = ? ORDER BY pos",
  );
  return (no) => rows.all(no);
}

const pageMax = 256;

/** Finds whispers by an index; only after a match it searches the log for equal public utterances. */
export function createWhisperSearch(db: Db, reader: SqliteReader) {
  const known = db.prepare<[number, string, number, string], { seq: number; said: string }>(
    `SELECT seq, said FROM whisper WHERE conversation = ? AND id = ?
     UNION SELECT seq, said FROM whisper WHERE conversation = ? AND said = ?`,
  );
  return async (no: number, dialogEvents: readonly DialogEvent[]): Promise<readonly Entry[]> => {
    const marks = new Map<number, string>();
    const suspects = dialogEvents.filter((one) => {
      const whispers = known.all(no, one.id, no, whisperMark(one));
      for (const { seq, said } of whispers) marks.set(seq, said);
      return whispers.length > 0;
    });
    const found: Entry[] = [];
    if (suspects.length === 0) return found;
    for (let after = 0; ; ) {
      const page = reader.entries(no, { after, limit: pageMax });
      found.push(...matchingWhispers(page, suspects, (seq) => marks.get(seq)));
      const last = page.at(-1)?.seq;
      if (last === undefined) return found;
      after = last;
      // Yields to the event loop between pages.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
}
