export const schemaVersion = 1;

/**
 * The log has one row per decision. `entries` are its entries with every event replaced by its place in `payload`, so
 * that an event is written once however many entries and deliveries speak of it. No two rows of a conversation begin at
 * the same place: that is what keeps two writers from both succeeding.
 *
 * By which names utterances are known already stands with the decision (`keys`) and moves to a table of its own, many at
 * a time, once there are some: `keyed` is the entry up to which that has happened. One row there for each utterance
 * would cost a page each.
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
 * What was added since: made when a store of that version is opened that has it not. `erased` are the events that were
 * scrubbed, by their places in the row that begins at `first`, each with the hash of what was said there. Names in bindings are kept folded; at first they were not.
 * `title` is what each speaker knows a conversation to be called; the row without a speaker is the operator's.
 * `parent` is the conversation that a sub-floor serves. `known_agent` is what was learned of agents, by their addresses. `catalogue` is what a discovery agent knows.
 * `feedback` is what people think of turns, the oldest first by `no`.
 * `probe` has one row, written anew by each check that the store can write.
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
  CREATE TABLE IF NOT EXISTS probe (no INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT;
  UPDATE OR IGNORE binding SET speaker = lower(rtrim(speaker, '/')) WHERE speaker <> lower(rtrim(speaker, '/'));
`;
