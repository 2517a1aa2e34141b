import { apply, type Entry, emptyFloor, type Floor, floorVersion } from "@plenary/floor";
import type { DialogEvent } from "@plenary/protocol";
import { matchingWhispers, whisperMark } from "../../conversation/whisper-match.ts";
import type { ConversationLog, ConversationSummary, DedupeKey, ListQuery } from "../../ports/conversation-log.ts";
import { operatorKey } from "../entry-index.ts";
import { type Db, openReader } from "./database.ts";
import { fromRow } from "./row-codec.ts";

type LogRow = { first: number; last: number; entries: string; payload: string };

export type SqliteReader = {
  noOf(conversationId: string): number | undefined;
  entries(no: number, range: { after: number; limit: number }): Entry[];
  /**
   * The floor after entry `seq`, or the newest; undefined when the log is shorter. `earlier`: a known floor of the same
   * conversation, not after `seq`, to start from.
   */
  floor(no: number, id: string, seq?: number, earlier?: Floor): { floor: Floor; snapshotSeq: number } | undefined;
  chain(no: number): string | undefined;
  /** Dedupe keys that are not in the table `utterance` yet. */
  fresh(no: number): { fresh: DedupeKey[]; keyedSeq: number };
  list(query: ListQuery): ConversationSummary[];
  count(): number;
};

/** On the writer's connection it also sees changes that are not committed; on others durable data only. */
export function createReader(db: Db): SqliteReader {
  const sql = prepare(db);

  function* rowsAfter(no: number, after: number, limit: number): Generator<LogRow> {
    const from = sql.rowWith.get(no, after + 1)?.first ?? 0;
    yield* sql.rows.iterate(no, from, limit);
  }

  function summary(row: ConversationRow): ConversationSummary {
    const head = sql.head.get(row.no);
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
    fresh(no) {
      const keyedSeq = sql.keyed.get(no)?.keyed ?? 0;
      return { keyedSeq, fresh: sql.keys.all(no, keyedSeq).flatMap(({ keys }): DedupeKey[] => JSON.parse(keys)) };
    },
    chain: (no) => sql.head.get(no)?.chain,
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

function prepare(db: Db) {
  return {
    no: db.prepare<[string], { no: number }>("SELECT no FROM conversation WHERE id = ?"),
    /** The row that contains the entry, or the last row before it. */
    rowWith: db.prepare<[number, number], { first: number }>(
      "SELECT first FROM log WHERE conversation = ? AND first <= ? ORDER BY first DESC LIMIT 1",
    ),
    rows: db.prepare<[number, number, number], LogRow>(
      "SELECT first, last, entries, payload FROM log WHERE conversation = ? AND first >= ? ORDER BY first LIMIT ?",
    ),
    head: db.prepare<[number], { last: number; at: string; chain: string }>(
      "SELECT last, at, chain FROM log WHERE conversation = ? ORDER BY first DESC LIMIT 1",
    ),
    keyed: db.prepare<[number], { keyed: number }>("SELECT keyed FROM conversation WHERE no = ?"),
    keys: db.prepare<[number, number], { keys: string }>(
      "SELECT keys FROM log WHERE conversation = ? AND first > ? AND keys IS NOT NULL ORDER BY first",
    ),
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
  addMissingTables(db);
  const reader = createReader(db);
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

/** A store of an older Plenary lacks later tables: empty temporary tables replace them. */
function addMissingTables(db: Db): void {
  const tables = new Set(db.prepare<[], string>("SELECT name FROM sqlite_master").pluck().all());
  // TEMP: nothing is written to the file.
  if (!tables.has("title")) db.exec("CREATE TEMP TABLE title (conversation INTEGER, speaker TEXT, title TEXT)");
  if (!tables.has("parent")) db.exec("CREATE TEMP TABLE parent (conversation INTEGER, parent TEXT)");
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
