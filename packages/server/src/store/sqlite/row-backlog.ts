import type { Entry } from "@plenary/floor";
import { type BacklogRow, BacklogRows, type SentDelivery, type WrittenName } from "./backlog-rows.ts";
import type { Db } from "./database.ts";
import { fromRow } from "./row-codec.ts";

/**
 * Each decision writes one row of the log and nothing else. Where the row is, which utterances it names and which
 * deliveries it opens is known in memory, and written to the tables `place`, `utterance` and `outbox` for many rows at a
 * time: a delivery that ends before that never enters the outbox. After a crash the rows that the tables lack are read
 * again.
 */
export type RowBacklog = {
  /** The position of the next row. Another process that has written took it, so that the row is refused. */
  nextPos(): number;
  /** The following run in a commit group. */
  add(row: BacklogRow): void;
  /** Ends a delivery. Returns the position of its row; undefined when the backlog does not have it. */
  settle(no: number, delivery: string): number | undefined;
  /** Writes the tables of the oldest rows when there are many, or of all. */
  move(which: "oldest" | "all"): void;
  /** The rows of a conversation that the tables lack, in order. */
  rowsOf(no: number): readonly BacklogRow[];
  /** Those of them that name an utterance with this id. */
  rowsNaming(no: number, dialogEventId: string): readonly BacklogRow[];
  /** All rows that the tables lack, in order. */
  all(): readonly BacklogRow[];
  /** Reads the file, before the first use. */
  load(): void;
  /** Names this moment of a transaction; 0 is its begin. */
  mark(): number;
  /** What was done since then is undone in the file, and now here. */
  undoTo(mark: number): void;
  /** What was done is durable. */
  keep(): void;
};

/** What a row says beside its entries. Names of received utterances and answered deliveries are in the entries. */
export type RowExtras = {
  names?: readonly WrittenName[];
  sent?: readonly SentDelivery[];
  settled?: readonly string[];
};

const rowsMax = 2_048;
const movedTogether = 1_024;

export function createRowBacklog(db: Db): RowBacklog {
  const sql = prepare(db);
  const rows = new BacklogRows();

  function write({ no, first, last, pos, names, sent }: BacklogRow): void {
    sql.place.run(no, first, pos);
    for (const { sender, dialogEventId, hash = inRow(first) } of names)
      sql.utterance.run(no, dialogEventId, sender, hash);
    for (const [rank, { delivery, body }] of sent.entries()) sql.outbox.run(no, delivery, last, rank, body);
  }

  return {
    nextPos: () => rows.lastPos() + 1,
    add: (row) => rows.add(row),
    settle: (no, delivery) => rows.settle(no, delivery)?.pos,
    rowsOf: (no) => rows.of(no),
    rowsNaming: (no, dialogEventId) => rows.naming(no, dialogEventId),
    all: () => rows.all(),
    mark: () => rows.mark(),
    undoTo: (mark) => rows.undoTo(mark),
    keep: () => rows.keep(),
    move(which) {
      const count = rows.all().length;
      if (count === 0 || (which === "oldest" && count < rowsMax)) return;
      const moved = rows.take(which === "all" ? count : movedTogether);
      const last = moved.at(-1)?.pos ?? 0;
      // In the order of the tables, so that each of their pages is written once.
      for (const row of moved.toSorted((one, other) => one.no - other.no || one.first - other.first)) write(row);
      sql.moved.run(last);
      sql.forgetSettled.run(last);
    },
    load() {
      rows.clear(sql.lastPos.get() ?? 0);
      for (const { extras, ...row } of backlogIn(db)) {
        const { names = none, sent = none, settled = none } = extras;
        rows.add({ ...row, names, sent });
        for (const delivery of settled) rows.settle(row.no, delivery);
      }
      for (const { conversation, delivery } of sql.settled.all()) rows.settle(conversation, delivery);
      rows.keep();
    },
  };
}

const none: readonly never[] = [];

/** In place of a hash: the content is in the row that begins at `first`. */
export function inRow(first: number): string {
  return `@${first}`;
}

/** The row named in place of a hash. */
export function rowNamedBy(hash: string): number | undefined {
  return hash.startsWith("@") ? Number(hash.slice(1)) : undefined;
}

type LogRow = Omit<BacklogRow, "names" | "sent"> & { entries: string; payload: string; keys: string | null };

/** The rows that the tables of a file lack. */
function* backlogIn(db: Db): Generator<Omit<BacklogRow, "names" | "sent"> & { extras: RowExtras }> {
  const rows = db.prepare<[], LogRow>(
    `SELECT conversation AS no, pos, first, last, entries, payload, keys FROM log
     WHERE pos > (SELECT pos FROM moved) ORDER BY pos`,
  );
  for (const { entries, payload, keys, ...row } of rows.iterate()) {
    yield { ...row, extras: { ...extrasIn(readable({ entries, payload })), ...extrasOf(keys) } };
  }
}

/** Releases before version 3 wrote the names alone; one may still run when `plenary keys` migrates its file. */
function extrasOf(keys: string | null): RowExtras {
  const said: RowExtras | readonly WrittenName[] = keys === null ? {} : JSON.parse(keys);
  return "length" in said ? { names: said } : said;
}

/** A damaged row stops only its own conversation, not the start of the store. */
function readable(row: { entries: string; payload: string }): readonly Entry[] {
  try {
    return fromRow(row);
  } catch {
    return none;
  }
}

/** What the entries of a decision say about utterances and deliveries. */
export function extrasIn(entries: readonly Entry[]): Required<Pick<RowExtras, "names" | "settled">> {
  const names: WrittenName[] = [];
  const settled: string[] = [];
  for (const entry of entries) {
    if (entry.kind !== "received") continue;
    if (entry.answers !== undefined) settled.push(entry.answers);
    for (const event of entry.events) {
      if (event.eventType === "utterance")
        names.push({ sender: entry.sender, dialogEventId: event.parameters.dialogEvent.id });
    }
  }
  return { names, settled };
}

function prepare(db: Db) {
  return {
    place: db.prepare<[number, number, number]>("INSERT INTO place (conversation, first, pos) VALUES (?, ?, ?)"),
    utterance: db.prepare<[number, string, string, string]>(
      "INSERT OR IGNORE INTO utterance (conversation, id, sender, hash) VALUES (?, ?, ?, ?)",
    ),
    outbox: db.prepare<[number, string, number, number, string]>(
      "INSERT INTO outbox (conversation, delivery, seq, rank, body) VALUES (?, ?, ?, ?, ?)",
    ),
    lastPos: db
      .prepare<[], number>("SELECT max(pos) FROM (SELECT pos FROM moved UNION SELECT max(pos) FROM log)")
      .pluck(),
    moved: db.prepare<[number]>("UPDATE moved SET pos = ?"),
    settled: db.prepare<[], { conversation: number; delivery: string }>("SELECT conversation, delivery FROM settled"),
    forgetSettled: db.prepare<[number]>("DELETE FROM settled WHERE pos <= ?"),
  };
}
