import { foldUri } from "@plenary/protocol";
import type { Change, ConversationLog, RequestKey } from "../../ports/conversation-log.ts";
import type { Lookups, RequestRecord } from "../../ports/lookups.ts";
import type { Outbox } from "../../ports/outbox.ts";
import type { Settings } from "../../ports/settings.ts";
import type { FloorStore } from "../../ports/store.ts";
import { type ConversationCache, createConversationCache } from "./conversation-cache.ts";
import { type Db, lock, openReader, openWriter } from "./database.ts";
import { createEraser } from "./eraser.ts";
import { createGroupCommit, type GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { createSqliteOutbox, type SqliteOutbox } from "./outbox.ts";
import { createReader, createWhisperSearch, type SqliteReader } from "./reader.ts";
import { createRecentEntries, type RecentEntries } from "./recent-entries.ts";
import { createRowBacklog, type RowBacklog } from "./row-backlog.ts";
import { createSideTables } from "./side-tables.ts";
import { createHashLookup } from "./utterance-hashes.ts";
import { createWebhookTables } from "./webhooks.ts";
import { createWriter, type Writer } from "./writer.ts";

export type SqliteStoreOptions = GroupCommitOptions & {
  /** Conversations cached in memory. */
  cachedMax?: number;
  /** Maximum size of the file, in pages of 4 KiB. */
  pagesMax?: number;
};

const cachedMaxDefault = 10_000;

type StoreParts = {
  db: Db;
  writer: Writer;
  /** Reader on the writing connection. */
  newest: SqliteReader;
  backlog: RowBacklog;
  groups: GroupCommit;
  recent: RecentEntries;
  cache: ConversationCache;
  /** Requests of changes that wait for their commit. */
  requests: Map<string, RequestRecord>;
};

/** A store in one SQLite file, used by one process. All changes of a decision are written in one transaction. */
export function createSqliteStore(file: string, options: SqliteStoreOptions = {}): FloorStore {
  const locked = lock(file);
  let migrated: FloorStore["migrated"];
  const onMigrated = (versions: FloorStore["migrated"]) => {
    migrated = versions;
  };
  const db = openWriter(file, { pagesMax: options.pagesMax, onMigrated });
  const view = openReader(file);
  const backlog = createRowBacklog(db);
  backlog.load();
  const newest = createReader(db, backlog.rowsOf);
  const durable = createReader(view, backlog.rowsOf);
  const recent = createRecentEntries();
  const eraser = createEraser(db);
  const writer = createWriter(db, backlog, eraser);
  const groups = createGroupCommit(db, options, {
    beforeWrite() {
      const mark = backlog.mark();
      return () => backlog.undoTo(mark);
    },
    beforeCommit: () => backlog.move("oldest"),
    onRollback() {
      cache.rollBack();
      backlog.undoTo(0);
    },
    onDurable() {
      backlog.keep();
      cache.settle();
      recent.settle();
      eraser.settle();
    },
  });
  const { cachedMax = cachedMaxDefault } = options;
  const cache = createConversationCache({ cachedMax, newest, backlog, groups, writer });
  const parts: StoreParts = { db, writer, newest, backlog, groups, recent, cache, requests: new Map() };
  const probe = createProbe(db);
  return {
    log: createLog(parts, durable),
    lookups: createLookups(parts),
    outbox: createOutbox(parts, createSqliteOutbox(db, newest, backlog)),
    settings: createSettings(db, groups),
    ...createSideTables(db, groups),
    webhooks: createWebhookTables(db, view, groups),
    ...(migrated && { migrated }),
    figures: () => ({ ...groups.figures(), held: cache.size() }),
    async ready() {
      // A transaction of its own: when the probe fails, no decision fails with it.
      groups.flush();
      const written = groups.join(probe);
      groups.flush();
      await written;
    },
    async close() {
      groups.flush();
      // The next start has nothing to read again. When the disk is full it reads the backlog.
      groups.join(() => backlog.move("all")).catch(() => {});
      groups.flush();
      view.close();
      db.close();
      locked.release();
    },
  };
}

function createLog(parts: StoreParts, durable: SqliteReader): ConversationLog {
  const { cache, recent } = parts;
  return {
    load: (id) => cache.get(id)?.floor,
    append: (id, change, expectedSeq) => append(parts, id, change, expectedSeq),
    async entries(id, range) {
      const found = recent.after(id, range);
      if (found !== undefined) return found;
      const no = durable.noOf(id);
      return no === undefined ? [] : durable.entries(no, range);
    },
    async floorAt(id, seq) {
      const no = durable.noOf(id);
      return no === undefined || seq < 1 ? undefined : durable.floor(no, id, seq)?.floor;
    },
    list: async (query) => durable.list(query),
    count: async () => durable.count(),
  };
}

/** More than a page, so that the probe fails when the file cannot grow. */
const probeBytes = 16_384;

/** The new row needs new pages before the old row frees its own, so the probe detects a full disk. */
function createProbe(db: Db): () => void {
  const add = db.prepare<[number]>("INSERT INTO probe (filler) VALUES (zeroblob(?))");
  const removeOlder = db.prepare<[number | bigint]>("DELETE FROM probe WHERE no < ?");
  return () => {
    removeOlder.run(add.run(probeBytes).lastInsertRowid);
  };
}

const conflict = Promise.resolve("conflict" as const);

function append(parts: StoreParts, id: string, change: Change, expectedSeq: number): Promise<"appended" | "conflict"> {
  const { cache, groups, writer, recent, requests } = parts;
  try {
    const known = cache.get(id);
    if ((known?.floor.seq ?? 0) !== expectedSeq) return conflict;
    const conversation = cache.stage(id, known, change);
    const request = change.request && keyOf(change.request);
    if (change.request !== undefined && request !== undefined)
      requests.set(request, requestOf(id, change, change.request));
    // Cached entries may contain the erased content.
    if (change.entries.some(({ kind }) => kind === "erased")) recent.forget(id);
    recent.stage(id, change.entries);
    return groups.join(
      () => {
        cache.written(conversation, writer.write(conversation.stored, change));
        if (request !== undefined) requests.delete(request);
      },
      {
        key: id,
        // Later changes stand on this one: the conversation is read from the file again.
        onLost() {
          cache.delete(id);
          recent.forget(id);
          if (request !== undefined) requests.delete(request);
        },
      },
    );
  } catch (error) {
    return Promise.reject(error);
  }
}

function keyOf({ caller, key }: RequestKey): string {
  return JSON.stringify([caller, key]);
}

function requestOf(conversationId: string, { entries, floor }: Change, { hash }: { hash: string }): RequestRecord {
  return { conversationId, hash, first: entries[0]?.seq ?? floor.seq + 1, last: floor.seq };
}

function createLookups(parts: StoreParts): Lookups {
  const { db, newest, cache, groups, requests } = parts;
  const request = db.prepare<[string, string], RequestRecord>(
    `SELECT c.id AS conversationId, r.hash, r.first, r.last FROM request r JOIN conversation c ON c.no = r.conversation
     WHERE r.caller = ? AND r.key = ?`,
  );
  const viewer = db.prepare<[number, string]>("SELECT 1 FROM viewer WHERE conversation = ? AND speaker = ?");
  const bound = db.prepare<[string], string>("SELECT url FROM binding WHERE speaker = ?").pluck();
  const whispersLike = createWhisperSearch(db, newest);
  const hashesOf = createHashLookup(parts);
  /** The number of a conversation; its changes are in the tables. */
  const writtenNo = (id: string) => {
    groups.flush();
    return cache.get(id)?.stored?.no;
  };
  return {
    seen(id, utterances) {
      const known = cache.get(id);
      return utterances.map((name) => (known === undefined ? none : hashesOf(known, name)));
    },
    async whispersLike(id, dialogEvents) {
      const no = writtenNo(id);
      return no === undefined ? [] : whispersLike(no, dialogEvents);
    },
    async hasSeen(id, speaker) {
      const no = writtenNo(id);
      return no !== undefined && viewer.get(no, speaker) !== undefined;
    },
    async boundTo(claims) {
      groups.flush();
      return claims.map(({ speakerUri }) => bound.get(foldUri(speakerUri)));
    },
    request: (key) => requests.get(keyOf(key)) ?? request.get(key.caller, key.key),
  };
}

const none: readonly never[] = [];

function createOutbox({ groups }: StoreParts, outbox: SqliteOutbox): Outbox {
  return {
    async settle(id, delivery) {
      await groups.join(() => outbox.settle(id, delivery));
    },
    async pending() {
      groups.flush();
      return outbox.pending();
    },
    async deadLetters(query) {
      groups.flush();
      return outbox.deadLetters(query);
    },
    async deadLetter(key) {
      groups.flush();
      return outbox.deadLetter(key);
    },
    async redeliver(key) {
      let isRedelivery = false;
      await groups.join(() => {
        isRedelivery = outbox.redeliver(key);
      });
      return isRedelivery;
    },
    async sweep(before) {
      await groups.join(() => outbox.sweep(before));
    },
  };
}

function createSettings(db: Db, groups: GroupCommit): Settings {
  const keep = db.prepare<[string, string]>("INSERT OR IGNORE INTO setting (name, value) VALUES (?, ?)");
  const kept = db.prepare<[string], string>("SELECT value FROM setting WHERE name = ?").pluck();
  return {
    async keep(name, initial) {
      await groups.join(() => keep.run(name, initial));
      return kept.get(name) ?? initial;
    },
  };
}
