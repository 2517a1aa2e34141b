import { type Entry, type Floor, floorVersion } from "@plenary/floor";
import { foldUri, isPrivate } from "@plenary/protocol";
import { spokenIn, whisperMark } from "../../conversation/whisper-match.ts";
import type { Change, DedupeKey } from "../../ports/conversation-log.ts";
import { bindingIn, titleReadersIn } from "../entry-index.ts";
import { type Db, lock, openWriter } from "./database.ts";
import { createEraser, type Eraser } from "./eraser.ts";
import { linkOf, rootOf } from "./hash-chain.ts";
import { createReader } from "./reader.ts";
import { toRow } from "./row-codec.ts";

/** The head of a conversation in memory, durable or not. */
export type CachedConversation = {
  no: number;
  floor: Floor;
  chain: string;
  snapshotSeq: number;
  /** Speakers that are surely in the table `viewer`. */
  viewers: Set<string>;
  /** Dedupe keys since entry `keyedSeq`; older ones are in the table `utterance`. */
  fresh: readonly DedupeKey[];
  keyedSeq: number;
};

export type Writer = {
  /** Writes one decision and returns the new head. Runs in a commit group. */
  write(held: CachedConversation | undefined, change: Change): CachedConversation;
  snapshot(held: CachedConversation): void;
};

/** Bounds the time to load a conversation, which starts at the newest snapshot. */
const snapshotEvery = 200;
/** Few enough for a linear search, enough to share a page. */
const freshMax = 16;

type Sql = ReturnType<typeof prepare>;

/** `isForeign`: imported changes, decided by another floor, make no speaker bindings here. */
export function createWriter(db: Db, eraser: Eraser, { isForeign = false } = {}): Writer {
  const sql = prepare(db);
  return {
    write(held, change) {
      const before = held ?? begin(sql, change);
      const { entries, floor } = change;
      const chain = entries.length === 0 ? before.chain : writeLog(sql, before, change);
      // Copied before it changes, so that a failed write leaves the old set unchanged.
      const viewers = hasNewcomer(before, entries) ? new Set(before.viewers) : before.viewers;
      for (const entry of entries) indexEntry(sql, before, viewers, entry);
      if (!isForeign) for (const entry of entries) bindSpeaker(sql, entry);
      for (const entry of entries) writeTitle(sql, before, entry, floor);
      for (const entry of entries) if (entry.kind === "erased") eraser.erase(before.no, entry.erases);
      writeRest(sql, before, change);
      const isDue = floor.seq - before.snapshotSeq >= snapshotEvery;
      const { fresh, keyedSeq } = writeDedupeKeys(sql, before, change);
      const snapshotSeq = isDue ? floor.seq : before.snapshotSeq;
      const after: CachedConversation = { no: before.no, floor, chain, snapshotSeq, viewers, fresh, keyedSeq };
      if (isDue) snapshot(sql, after);
      return after;
    },
    snapshot: (held) => snapshot(sql, held),
  };
}

function begin(sql: Sql, { floor, entries }: Change): CachedConversation {
  const { lastInsertRowid } = sql.conversation.run(floor.id, entries[0]?.at ?? "");
  const { parent } = floor.options;
  if (parent !== undefined) sql.parent.run(lastInsertRowid, parent);
  const chain = rootOf(floor.id);
  return {
    no: Number(lastInsertRowid),
    floor,
    chain,
    snapshotSeq: 0,
    viewers: new Set(),
    fresh: [],
    keyedSeq: 0,
  };
}

function writeLog(sql: Sql, { no, chain }: CachedConversation, change: Change): string {
  const { entries, floor, dedupe } = change;
  const row = toRow(change);
  const link = linkOf(chain, row);
  const [head] = entries;
  if (head === undefined) throw new Error("a delivery without an entry");
  const keys = dedupe.length === 0 ? null : JSON.stringify(dedupe);
  sql.log.run(no, head.seq, floor.seq, head.at, row.entries, row.payload, link.digest, link.chain, keys);
  for (const [rank, { delivery, body }] of row.outbox.entries()) sql.outbox.run(no, delivery, floor.seq, rank, body);
  return link.chain;
}

function indexEntry(sql: Sql, { no }: CachedConversation, viewers: Set<string>, entry: Entry): void {
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

function writeTitle(sql: Sql, { no }: CachedConversation, entry: Entry, floor: Floor): void {
  const { title } = floor.options;
  for (const speaker of titleReadersIn(entry, floor)) {
    if (title === undefined) sql.untitle.run(no, speaker);
    else sql.title.run(no, speaker, title);
  }
}

function writeRest(sql: Sql, { no }: CachedConversation, change: Change): void {
  const { floor, entries, timers, settled, rung, dead, request } = change;
  for (const { delivery, failure, detail, at } of dead) sql.bury.run(failure, detail, at, no, delivery);
  for (const delivery of settled) sql.settle.run(no, delivery);
  for (const { id, at, since } of timers) sql.timer.run(no, id, at, since);
  for (const id of rung) sql.rung.run(no, id);
  if (request !== undefined) {
    const { caller, key, hash, at } = request;
    sql.request.run(caller, key, hash, no, entries[0]?.seq ?? floor.seq + 1, floor.seq, at);
  }
  if (floor.isClosed) sql.closed.run(no);
}

/** Adds the new dedupe keys, and moves all to the table when there are `freshMax`. */
function writeDedupeKeys(sql: Sql, { no, fresh, keyedSeq }: CachedConversation, { dedupe, floor }: Change) {
  if (dedupe.length === 0) return { fresh, keyedSeq };
  const all = [...fresh, ...dedupe];
  if (all.length < freshMax) return { fresh: all, keyedSeq };
  for (const { sender, dialogEventId, hash } of all) sql.utterance.run(no, dialogEventId, sender, hash);
  sql.keyed.run(floor.seq, no);
  return { fresh: [], keyedSeq: floor.seq };
}

function snapshot(sql: Sql, { no, floor }: CachedConversation): void {
  sql.snapshot.run(no, floor.seq, floorVersion, JSON.stringify(floor));
}

function hasNewcomer({ viewers }: CachedConversation, entries: readonly Entry[]): boolean {
  return entries.some(({ audience }) => audience.some((speaker) => !viewers.has(speaker)));
}

function prepare(db: Db) {
  return {
    conversation: db.prepare("INSERT INTO conversation (id, started) VALUES (?, ?)"),
    parent: db.prepare("INSERT INTO parent (conversation, parent) VALUES (?, ?)"),
    keyed: db.prepare("UPDATE conversation SET keyed = ? WHERE no = ?"),
    closed: db.prepare("UPDATE conversation SET closed = 1 WHERE no = ?"),
    log: db.prepare(
      "INSERT INTO log (conversation, first, last, at, entries, payload, digest, chain, keys) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    outbox: db.prepare("INSERT INTO outbox (conversation, delivery, seq, rank, body) VALUES (?, ?, ?, ?, ?)"),
    settle: db.prepare("DELETE FROM outbox WHERE conversation = ? AND delivery = ?"),
    bury: db.prepare(
      `INSERT OR REPLACE INTO dead_letter (conversation, delivery, seq, rank, body, failure, detail, at)
       SELECT conversation, delivery, seq, rank, body, ?, ?, ? FROM outbox WHERE conversation = ? AND delivery = ?`,
    ),
    timer: db.prepare("INSERT OR REPLACE INTO timer (conversation, id, at, since) VALUES (?, ?, ?, ?)"),
    rung: db.prepare("DELETE FROM timer WHERE conversation = ? AND id = ?"),
    utterance: db.prepare("INSERT OR IGNORE INTO utterance (conversation, id, sender, hash) VALUES (?, ?, ?, ?)"),
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
  const reader = createReader(db);
  const eraser = createEraser(db);
  const writer = createWriter(db, eraser, { isForeign: true });
  return {
    has: (id) => reader.noOf(id) !== undefined,
    async write(changes) {
      db.exec("BEGIN IMMEDIATE");
      try {
        let held: CachedConversation | undefined;
        for await (const change of changes) held = writer.write(held, change);
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
