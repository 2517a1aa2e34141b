import type { Migration } from "./migration.ts";

/**
 * The log has one row per decision. In `entries` every event is replaced by its index in `payload`, so an event is stored
 * once even if several entries and deliveries contain it. The unique index on `first` makes the second of two concurrent
 * writers fail.
 *
 * Dedupe keys are stored with the decision (`keys`) and moved to the table `utterance` in batches, because single inserts
 * would write a page each. `keyed` is the last entry whose keys were moved.
 */
export const originalTables: Migration = {
  version: 1,
  name: "create the log, its indexes and the outbox",
  sql: `
    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE conversation (
      no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started TEXT NOT NULL, closed INTEGER NOT NULL DEFAULT 0,
      keyed INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE log (
      pos INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      at TEXT NOT NULL, entries TEXT NOT NULL, payload TEXT NOT NULL, digest TEXT NOT NULL, chain TEXT NOT NULL,
      keys TEXT
    ) STRICT;
    CREATE UNIQUE INDEX log_place ON log (conversation, first);
    CREATE TABLE snapshot (
      conversation INTEGER NOT NULL, seq INTEGER NOT NULL, version INTEGER NOT NULL, floor TEXT NOT NULL,
      PRIMARY KEY (conversation, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE utterance (
      conversation INTEGER NOT NULL, id TEXT NOT NULL, sender TEXT NOT NULL, hash TEXT NOT NULL,
      PRIMARY KEY (conversation, id, sender, hash)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE whisper (
      conversation INTEGER NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, said TEXT NOT NULL,
      PRIMARY KEY (conversation, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX whisper_id ON whisper (conversation, id);
    CREATE INDEX whisper_said ON whisper (conversation, said);
    CREATE TABLE viewer (
      speaker TEXT NOT NULL, conversation INTEGER NOT NULL, PRIMARY KEY (speaker, conversation)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE outbox (
      conversation INTEGER NOT NULL, delivery TEXT NOT NULL, seq INTEGER NOT NULL, rank INTEGER NOT NULL,
      body TEXT NOT NULL, revived INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (conversation, delivery)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE timer (
      conversation INTEGER NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL, since TEXT NOT NULL,
      PRIMARY KEY (conversation, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE dead_letter (
      conversation INTEGER NOT NULL, delivery TEXT NOT NULL, seq INTEGER NOT NULL, rank INTEGER NOT NULL,
      body TEXT NOT NULL, failure TEXT NOT NULL, detail TEXT NOT NULL, at TEXT NOT NULL,
      PRIMARY KEY (conversation, delivery)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX dead_letter_at ON dead_letter (at);
    CREATE TABLE request (
      caller TEXT NOT NULL, key TEXT NOT NULL, hash TEXT NOT NULL, conversation INTEGER NOT NULL,
      first INTEGER NOT NULL, last INTEGER NOT NULL, at TEXT NOT NULL, PRIMARY KEY (caller, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX request_at ON request (at);
  `,
};
