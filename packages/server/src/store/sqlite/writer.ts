import { type Entry, type Floor, floorVersion } from "@plenary/floor";
import { foldUri, isPrivate } from "@plenary/protocol";
import { spokenIn, whisperMark } from "../../conversation/whisper-match.ts";
import type { Change } from "../../ports/conversation-log.ts";
import { bindingIn, titleReadersIn } from "../entry-index.ts";
import type { WrittenName } from "./backlog-rows.ts";
import { type Db, lock, openWriter } from "./database.ts";
import { createEraser, type Eraser } from "./eraser.ts";
import { linkOf, rootOf } from "./hash-chain.ts";
import { createReader } from "./reader.ts";
import { createRowBacklog, extrasIn, type RowBacklog, type RowExtras } from "./row-backlog.ts";
import { toRow } from "./row-codec.ts";

/** The head of a conversation in the file. */
export type StoredHead = {
  no: number;
  chain: string;
  snapshotSeq: number;
  /** Speakers that are surely in the table `viewer`. */
  viewers: Set<string>;
};

export type Writer = {
  /** Writes one decision and returns the new head. Runs in a commit group. */
  write(head: StoredHead | undefined, change: Change): StoredHead;
  snapshot(head: StoredHead, floor: Floor): void;
};

/** Bounds the time to load a conversation, which starts at the newest snapshot. */
const snapshotEvery = 200;

type Sql = ReturnType<typeof prepare>;

/** `isForeign`: imported changes, decided by another floor, make no speaker bindings here. */
export function createWriter(db: Db, backlog: RowBacklog, eraser: Eraser, { isForeign = false } = {}): Writer {
  const sql = prepare(db);
  return {
    write(head, change) {
      const { entries, floor } = change;
      const { no, ...before } = head ?? begin(sql, change);
      const chain = entries.length === 0 ? before.chain : writeLog(sql, backlog, no, before.chain, change);
      // Copied before it changes, so that a failed write leaves the old set unchanged.
      const viewers = hasNewcomer(before.viewers, entries) ? new Set(before.viewers) : before.viewers;
      for (const entry of entries) {
        indexEntry(sql, no, viewers, entry);
        // Most entries are of these two kinds.
        if (entry.kind === "received" || entry.kind === "event") continue;
        if (!isForeign) bindSpeaker(sql, entry);
        writeTitle(sql, no, entry, floor);
        if (entry.kind !== "erased") continue;
        backlog.move("all");
        eraser.erase(no, entry.erases);
      }
      writeRest(sql, backlog, no, change);
      const isDue = floor.seq - before.snapshotSeq >= snapshotEvery;
      if (isDue) snapshot(sql, no, floor);
      return { no, chain, snapshotSeq: isDue ? floor.seq : before.snapshotSeq, viewers };
    },
    snapshot: ({ no }, floor) => snapshot(sql, no, floor),
  };
}

function begin(sql: Sql, { floor, entries }: Change): StoredHead {
  const { lastInsertRowid } = sql.conversation.run(floor.id, entries[0]?.at ?? "");
  const { parent } = floor.options;
  if (parent !== undefined) sql.parent.run(lastInsertRowid, parent);
  return { no: Number(lastInsertRowid), chain: rootOf(floor.id), snapshotSeq: 0, viewers: new Set() };
}

function writeLog(sql: Sql, backlog: RowBacklog, no: number, before: string, change: Change): string {
  const { entries, floor, dedupe, settled } = change;
  const row = toRow(change);
  const { digest, chain } = linkOf(before, row);
  const [head] = entries;
  if (head === undefined) throw new Error("a delivery without an entry");
  const { seq: first, at } = head;
  const [last, names, sent] = [floor.seq, dedupe, row.outbox];
  const extras = extrasOf(entries, { names, sent, settled });
  const pos = backlog.nextPos();
  sql.log.run(pos, no, first, last, at, row.entries, row.payload, digest, chain, extras);
  backlog.add({ no, pos, first, last, names, sent });
  return chain;
}

/** What the entries do not say, as JSON. */
function extrasOf(entries: readonly Entry[], { names, sent, settled }: Required<RowExtras>): string | null {
  const said = extrasIn(entries);
  const areNamesSaid =
    said.names.length === names.length && names.every((name, index) => isName(name, said.names[index]));
  const isEndSaid =
    said.settled.length === settled.length && settled.every((one, index) => one === said.settled[index]);
  if (areNamesSaid && isEndSaid && sent.length === 0) return null;
  return JSON.stringify({
    ...(!areNamesSaid && { names }),
    ...(sent.length > 0 && { sent }),
    ...(!isEndSaid && { settled }),
  });
}

function isName({ sender, dialogEventId, hash }: WrittenName, said: WrittenName | undefined): boolean {
  return hash === undefined && sender === said?.sender && dialogEventId === said.dialogEventId;
}

function indexEntry(sql: Sql, no: number, viewers: Set<string>, entry: Entry): void {
  for (const speaker of entry.audience) {
    if (viewers.has(speaker)) continue;
    viewers.add(speaker);
    sql.viewer.run(speaker, no);
  }
  const spoken = spokenIn(entry);
  if (spoken !== undefined && entry.kind === "event" && isPrivate(entry.event)) {
    sql.whisper.run(no, entry.seq, spoken.id, whisperMark(spoken));
  }
}

function bindSpeaker(sql: Sql, entry: Entry): void {
  const bound = bindingIn(entry);
  if (bound === undefined) return;
  sql[bound.kind === "first" ? "bind" : "rebind"].run(foldUri(bound.speakerUri), bound.serviceUrl);
}

function writeTitle(sql: Sql, no: number, entry: Entry, floor: Floor): void {
  const { title } = floor.options;
  for (const speaker of titleReadersIn(entry, floor)) {
    if (title === undefined) sql.untitle.run(no, speaker);
    else sql.title.run(no, speaker, title);
  }
}

function writeRest(sql: Sql, backlog: RowBacklog, no: number, change: Change): void {
  const { floor, entries, timers, settled, rung, dead, request } = change;
  // A dead letter is a row of the outbox.
  if (dead.length > 0) backlog.move("all");
  for (const { delivery, failure, detail, at } of dead) sql.bury.run(failure, detail, at, no, delivery);
  for (const delivery of settled) settle(sql, backlog, { no, delivery, isLogged: entries.length > 0 });
  for (const { id, at, since } of timers) sql.timer.run(no, id, at, since);
  for (const id of rung) sql.rung.run(no, id);
  if (request !== undefined) {
    const { caller, key, hash, at } = request;
    sql.request.run(caller, key, hash, no, entries[0]?.seq ?? floor.seq + 1, floor.seq, at);
  }
  if (floor.isClosed) sql.closed.run(no);
}

type SettledDelivery = { no: number; delivery: string; isLogged: boolean };

/** `isLogged`: the row of the same decision says so. */
function settle(
  sql: Pick<Sql, "settle" | "settled">,
  backlog: RowBacklog,
  { no, delivery, isLogged }: SettledDelivery,
) {
  const pos = backlog.settle(no, delivery);
  if (pos === undefined) sql.settle.run(no, delivery);
  else if (!isLogged) sql.settled.run(no, delivery, pos);
}

function snapshot(sql: Sql, no: number, floor: Floor): void {
  sql.snapshot.run(no, floor.seq, floorVersion, JSON.stringify(floor));
}

function hasNewcomer(viewers: ReadonlySet<string>, entries: readonly Entry[]): boolean {
  return entries.some(({ audience }) => audience.some((speaker) => !viewers.has(speaker)));
}

function prepare(db: Db) {
  return {
    conversation: db.prepare("INSERT INTO conversation (id, started) VALUES (?, ?)"),
    parent: db.prepare("INSERT INTO parent (conversation, parent) VALUES (?, ?)"),
    closed: db.prepare("UPDATE conversation SET closed = 1 WHERE no = ?"),
    log: db.prepare(
      "INSERT INTO log (pos, conversation, first, last, at, entries, payload, digest, chain, keys) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    settled: db.prepare("INSERT OR IGNORE INTO settled (conversation, delivery, pos) VALUES (?, ?, ?)"),
    settle: db.prepare("DELETE FROM outbox WHERE conversation = ? AND delivery = ?"),
    bury: db.prepare(
      `INSERT OR REPLACE INTO dead_letter (conversation, delivery, seq, rank, body, failure, detail, at)
       SELECT conversation, delivery, seq, rank, body, ?, ?, ? FROM outbox WHERE conversation = ? AND delivery = ?`,
    ),
    timer: db.prepare("INSERT OR REPLACE INTO timer (conversation, id, at, since) VALUES (?, ?, ?, ?)"),
    rung: db.prepare("DELETE FROM timer WHERE conversation = ? AND id = ?"),
    whisper: db.prepare("INSERT INTO whisper (conversation, seq, id, said) VALUES (?, ?, ?, ?)"),
    bind: db.prepare("INSERT OR IGNORE INTO binding (speaker, url) VALUES (?, ?)"),
    rebind: db.prepare("INSERT OR REPLACE INTO binding (speaker, url) VALUES (?, ?)"),
    viewer: db.prepare("INSERT OR IGNORE INTO viewer (speaker, conversation) VALUES (?, ?)"),
    title: db.prepare("INSERT OR REPLACE INTO title (conversation, speaker, title) VALUES (?, ?, ?)"),
    untitle: db.prepare("DELETE FROM title WHERE conversation = ? AND speaker = ?"),
    request: db.prepare(
      "INSERT OR REPLACE INTO request (caller, key, hash, conversation, first, last, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ),
    snapshot: db.prepare("INSERT OR REPLACE INTO snapshot (conversation, seq, version, floor) VALUES (?, ?, ?, ?)"),
  };
}

/** Writes imported conversations and leaves the others unchanged. It locks the store. */
export type Importer = {
  has(conversationId: string): boolean;
  /** Writes a whole conversation or, when `changes` throws, nothing. */
  write(changes: AsyncIterable<Change>): Promise<void>;
  close(): void;
};

export function openImporter(file: string): Importer {
  const locked = lock(file);
  const db = openWriter(file);
  const backlog = createRowBacklog(db);
  const reader = createReader(db, backlog.rowsOf);
  const eraser = createEraser(db);
  const writer = createWriter(db, backlog, eraser, { isForeign: true });
  return {
    has: (id) => reader.noOf(id) !== undefined,
    async write(changes) {
      db.exec("BEGIN IMMEDIATE");
      try {
        backlog.load();
        let head: StoredHead | undefined;
        for await (const change of changes) {
          head = writer.write(head, change);
          backlog.move("oldest");
          // A failed import reads the file again.
          backlog.keep();
        }
        backlog.move("all");
        db.exec("COMMIT");
      } catch (error) {
        if (db.inTransaction) db.exec("ROLLBACK");
        throw error;
      }
      eraser.settle();
    },
    close() {
      db.close();
      locked.release();
    },
  };
}
