import { foldUri } from "@plenary/protocol";
import type { Change, ConversationLog } from "../../ports/conversation-log.ts";
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
import { createSideTables } from "./side-tables.ts";
import { createWebhookTables } from "./webhooks.ts";
import { type CachedConversation, createWriter, type Writer } from "./writer.ts";

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
  /** Reader on the writing connection: sees changes that are not durable yet. */
  newest: SqliteReader;
  groups: GroupCommit;
  recent: RecentEntries;
  cache: ConversationCache;
};

/** A store in one SQLite file, used by one process. All changes of a decision are written in one transaction. */
export function createSqliteStore(file: string, options: SqliteStoreOptions = {}): FloorStore {
  const locked = lock(file);
  const db = openWriter(file, options.pagesMax);
  const view = openReader(file);
  const newest = createReader(db);
  const durable = createReader(view);
  const recent = createRecentEntries();
  const eraser = createEraser(db);
  const groups = createGroupCommit(db, options, () => {
    recent.settle();
    eraser.settle();
  });
  const writer = createWriter(db, eraser);
  const { cachedMax = cachedMaxDefault } = options;
  const cache = createConversationCache({ cachedMax, newest, groups, writer });
  const parts: StoreParts = { db, writer, newest, groups, recent, cache };
  const probe = createProbe(db);
  return {
    log: createLog(parts, durable),
    lookups: createLookups(parts),
    outbox: createOutbox(groups, createSqliteOutbox(db, newest)),
    settings: createSettings(db, groups),
    ...createSideTables(db, groups),
    webhooks: createWebhookTables(db, view, groups),
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
  try {
    return stage(parts, id, change, expectedSeq);
  } catch (error) {
    return Promise.reject(error);
  }
}

function stage(parts: StoreParts, id: string, change: Change, expectedSeq: number): Promise<"appended" | "conflict"> {
  const { cache, groups, writer, recent } = parts;
  const before = cache.get(id);
  if ((before?.floor.seq ?? 0) !== expectedSeq) return conflict;
  let after: CachedConversation | undefined;
  // If the write is lost, later writes of the group are lost too: the cache is dropped and read from the file again.
  const written = groups.join(
    () => {
      after = writer.write(before, change);
    },
    () => {
      cache.delete(id);
      recent.forget(id);
    },
  );
  if (after !== undefined) cache.set(id, after);
  // Cached entries may contain the erased content.
  if (change.entries.some(({ kind }) => kind === "erased")) recent.forget(id);
  recent.stage(id, change.entries);
  return written;
}

function createLookups({ db, newest, cache }: StoreParts): Lookups {
  const hashes = db
    .prepare<[number, string, string], string>(
      "SELECT hash FROM utterance WHERE conversation = ? AND id = ? AND sender = ?",
    )
    .pluck();
  const request = db.prepare<[string, string], RequestRecord>(
    `SELECT c.id AS conversationId, r.hash, r.first, r.last FROM request r JOIN conversation c ON c.no = r.conversation
     WHERE r.caller = ? AND r.key = ?`,
  );
  const viewer = db.prepare<[number, string]>("SELECT 1 FROM viewer WHERE conversation = ? AND speaker = ?");
  const bound = db.prepare<[string], string>("SELECT url FROM binding WHERE speaker = ?").pluck();
  const whispersLike = createWhisperSearch(db, newest);
  return {
    seen(id, utterances) {
      const known = cache.get(id);
      if (known === undefined) return utterances.map(() => []);
      const { no, fresh, keyedSeq } = known;
      return utterances.map(({ sender, dialogEventId }) => {
        const named = fresh.filter((key) => key.dialogEventId === dialogEventId && key.sender === sender);
        // Nearly always there is none: `get` is cheaper than `all`.
        const isOld = keyedSeq > 0 && hashes.get(no, dialogEventId, sender) !== undefined;
        const old = isOld ? hashes.all(no, dialogEventId, sender) : [];
        return named.length === 0 ? old : [...old, ...named.map(({ hash }) => hash)];
      });
    },
    async whispersLike(id, dialogEvents) {
      const no = cache.get(id)?.no;
      return no === undefined ? [] : whispersLike(no, dialogEvents);
    },
    async hasSeen(id, speaker) {
      const no = cache.get(id)?.no;
      return no !== undefined && viewer.get(no, speaker) !== undefined;
    },
    boundTo: async (claims) => claims.map(({ speakerUri }) => bound.get(foldUri(speakerUri))),
    request: ({ caller, key }) => request.get(caller, key),
  };
}

function createOutbox(groups: GroupCommit, outbox: SqliteOutbox): Outbox {
  return {
    async settle(id, delivery) {
      await groups.join(() => outbox.settle(id, delivery));
    },
    pending: async () => outbox.pending(),
    deadLetters: async (query) => outbox.deadLetters(query),
    deadLetter: async (key) => outbox.deadLetter(key),
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
