export const schemaVersion = 1;

/**
 * The log has one row per decision. In `entries` every event is replaced by its index in `payload`, so an event is stored
 * once even if several entries and deliveries contain it. The unique index on `first` makes the second of two concurrent
 * writers fail.
 *
 * Dedupe keys are stored with the decision (`keys`) and moved to the table `utterance` in batches, because single inserts
 * would write a page each. `keyed` is the last entry whose keys were moved.
 */
export const schema = `
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
`;

/**
 * Later additions, created when they are missing. `erased`: scrubbed events, by their index in the row that begins at
 * `first`, with the hash of the original event. `binding`: speakers are stored folded; the UPDATE folds older rows.
 * `title`: the title that each speaker knows; the row with an empty speaker is the operator's. `parent`: the parent
 * conversation of a sub-floor. `known_agent`: the agent registry. `catalogue`: manifests of a discovery agent.
 * `feedback`: oldest first by `no`. `probe`: one row, rewritten by each readiness check. `webhook_letter`: entries that a
 * webhook could not deliver, without their content.
 */
export const additions = `
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
  CREATE TABLE IF NOT EXISTS place (
    conversation INTEGER NOT NULL, first INTEGER NOT NULL, pos INTEGER NOT NULL, PRIMARY KEY (conversation, first)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS moved (pos INTEGER NOT NULL) STRICT;
  INSERT INTO moved SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM moved);
  CREATE TABLE IF NOT EXISTS settled (
    conversation INTEGER NOT NULL, delivery TEXT NOT NULL, pos INTEGER NOT NULL, PRIMARY KEY (conversation, delivery)
  ) STRICT, WITHOUT ROWID;
  DROP INDEX IF EXISTS log_place;
  CREATE TABLE IF NOT EXISTS probe (no INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT;
  UPDATE OR IGNORE binding SET speaker = lower(rtrim(speaker, '/')) WHERE speaker <> lower(rtrim(speaker, '/'));
`;
