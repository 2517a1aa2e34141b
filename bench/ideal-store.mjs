// The durable rows of an accepted envelope in the leanest layout that holds them, and nothing else. Whatever is queued in
// one turn of the event loop is committed together.
import { hash } from "node:crypto";
import { Database } from "./borrowed.mjs";

const layout = `
  CREATE TABLE conversation (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL) STRICT;
  CREATE TABLE log (position INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, first INTEGER NOT NULL,
    last INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
  CREATE UNIQUE INDEX log_order ON log (conversation, first);
  CREATE TABLE dedupe (conversation INTEGER NOT NULL, key BLOB NOT NULL, hash BLOB NOT NULL, said BLOB NOT NULL,
    PRIMARY KEY (conversation, key)) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox (conversation INTEGER NOT NULL, delivery TEXT NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (conversation, delivery)) STRICT, WITHOUT ROWID;
`;

/** One envelope leaves two entries: that it came, and the event in it. */
const entriesPerEnvelope = 2;

function open(file) {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  return database;
}

/** `write` is called for all that was queued in one turn, in one transaction; then `onCommit` gets them all. */
function groupCommit(database, write, onCommit) {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  let queue = [];
  const flush = () => {
    const group = queue;
    queue = [];
    begin.run();
    for (const accepted of group) write(accepted);
    commit.run();
    onCommit(group);
  };
  return (accepted) => {
    if (queue.push(accepted) === 1) setImmediate(flush);
  };
}

/** Takes { envelope, raw, deliver?, answers? }: the ids of the delivery it leads to, and of the one it answers. */
export function createIdealStore(file, onCommit) {
  const database = open(file);
  database.exec(layout);
  const begun = database.prepare("INSERT INTO conversation (id, seq) VALUES (?, 0)");
  const append = database.prepare("INSERT INTO log (conversation, first, last, body) VALUES (?, ?, ?, ?)");
  const advance = database.prepare("UPDATE conversation SET seq = ? WHERE number = ?");
  const remember = database.prepare("INSERT INTO dedupe VALUES (?, ?, ?, ?)");
  const promise = database.prepare("INSERT INTO outbox VALUES (?, ?, ?)");
  const keep = database.prepare("DELETE FROM outbox WHERE conversation = ? AND delivery = ?");
  const conversations = new Map();
  const conversationOf = (id) => {
    const known = conversations.get(id) ?? { number: begun.run(id).lastInsertRowid, seq: 0 };
    conversations.set(id, known);
    return known;
  };
  const write = ({ envelope, raw, deliver, answers }) => {
    const { conversation, sender, events } = envelope.openFloor;
    const known = conversationOf(conversation.id);
    const first = known.seq + 1;
    known.seq += entriesPerEnvelope;
    append.run(known.number, first, known.seq, raw);
    advance.run(known.seq, known.number);
    for (const event of events) {
      if (event.eventType !== "utterance") continue;
      const { id, features } = event.parameters.dialogEvent;
      const key = digest(`${sender.speakerUri} ${id}`);
      const content = digest(JSON.stringify([event.to, features]));
      remember.run(known.number, key.subarray(0, 16), content.subarray(0, 16), content.subarray(16, 24));
    }
    if (deliver !== undefined) promise.run(known.number, deliver, known.seq);
    if (answers !== undefined) keep.run(known.number, answers);
  };
  return groupCommit(database, write, onCommit);
}

function digest(text) {
  return hash("sha256", text, "buffer");
}

/** The least a pipeline could store: one insert per envelope, of no use to a floor that must go on after a restart. */
export function createOneInsertStore(file, onCommit) {
  const database = open(file);
  database.exec("CREATE TABLE log (position INTEGER PRIMARY KEY, conversation TEXT NOT NULL, body BLOB NOT NULL)");
  const append = database.prepare("INSERT INTO log (conversation, body) VALUES (?, ?)");
  const write = ({ envelope, raw }) => append.run(envelope.openFloor.conversation.id, raw);
  return groupCommit(database, write, onCommit);
}
