import type { Migration } from "./migration.ts";

/**
 * Releases before this migration created these tables without a new number, so a file of version 1 may have none, some or
 * all of them: hence IF NOT EXISTS, here and in no later migration.
 *
 * `erased`: scrubbed events, by their index in the row that begins at `first`, with the hash of the original event.
 * `binding`: speakers are stored folded; the UPDATE folds older rows. `title`: the title that each speaker knows; the row
 * with an empty speaker is the operator's. `parent`: the parent conversation of a sub-floor. `known_agent`: the agent
 * registry. `catalogue`: manifests of a discovery agent. `feedback`: oldest first by `no`. `webhook_letter`: entries that
 * a webhook could not deliver, without their content. `probe`: one row, rewritten by each readiness check. `credential`
 * and `signing_secret`: in the same file as the conversations, so that they are copied together.
 */
export const laterTables: Migration = {
  version: 2,
  name: "create the tables that had no number",
  sql: `
    CREATE TABLE IF NOT EXISTS erased (
      conversation INTEGER NOT NULL, first INTEGER NOT NULL, place INTEGER NOT NULL, said TEXT NOT NULL,
      PRIMARY KEY (conversation, first, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS binding (speaker TEXT PRIMARY KEY, url TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS title (
      conversation INTEGER NOT NULL, speaker TEXT NOT NULL, title TEXT NOT NULL, PRIMARY KEY (conversation, speaker)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS parent (conversation INTEGER PRIMARY KEY, parent TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS parent_of ON parent (parent);
    CREATE TABLE IF NOT EXISTS known_agent (url TEXT PRIMARY KEY, known TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS catalogue (key TEXT PRIMARY KEY, known TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS feedback (
      no INTEGER PRIMARY KEY, trace TEXT NOT NULL, speaker TEXT NOT NULL, reaction TEXT, comment TEXT, at TEXT NOT NULL,
      UNIQUE (trace, speaker)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS feedback_of ON feedback (speaker);
    CREATE TABLE IF NOT EXISTS webhook (id TEXT PRIMARY KEY, known TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS webhook_letter (
      webhook TEXT NOT NULL, id TEXT NOT NULL, conversation TEXT NOT NULL, seq INTEGER NOT NULL, failure TEXT NOT NULL,
      at TEXT NOT NULL, PRIMARY KEY (webhook, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS probe (no INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS credential (
      id TEXT PRIMARY KEY, kind TEXT NOT NULL, hash TEXT NOT NULL, speakers TEXT NOT NULL, scopes TEXT NOT NULL,
      person INTEGER NOT NULL, conversation TEXT, label TEXT, parent TEXT, uses_left INTEGER, created TEXT NOT NULL,
      expires TEXT, revoked TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS credential_parent ON credential (parent) WHERE parent IS NOT NULL;
    CREATE TABLE IF NOT EXISTS signing_secret (
      no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, address TEXT NOT NULL, secret TEXT NOT NULL, created TEXT NOT NULL,
      revoked TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS signing_secret_address ON signing_secret (address);
    UPDATE OR IGNORE binding SET speaker = lower(rtrim(speaker, '/')) WHERE speaker <> lower(rtrim(speaker, '/'));
  `,
};
