// The durable rows of an accepted envelope in the leanest layout that holds them, and nothing else. As in the product the
// names of utterances stand in the log first and move to their table many at a time, and the order of the log keeps the
// sequence number. Whatever is queued in one turn of the event loop is committed together.
import { hash } from "node:crypto";
import { Database } from "./borrowed.mjs";

const layout = `
  CREATE TABLE conversation (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE log (position INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, first INTEGER NOT NULL,
    last INTEGER NOT NULL, body BLOB NOT NULL, keys BLOB) STRICT;
  CREATE UNIQUE INDEX log_order ON log (conversation, first);
  CREATE TABLE dedupe (conversation INTEGER NOT NULL, key BLOB NOT NULL,
    PRIMARY KEY (conversation, key)) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox (conversation INTEGER NOT NULL, delivery TEXT NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (conversation, delivery)) STRICT, WITHOUT ROWID;
`;

/** So many names of utterances move to their table together. */
const keysTogether = 16;

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
  const begun = database.prepare("INSERT INTO conversation (id) VALUES (?)");
  const append = database.prepare("INSERT INTO log (conversation, first, last, body, keys) VALUES (?, ?, ?, ?, ?)");
  const remember = database.prepare("INSERT INTO dedupe VALUES (?, ?)");
  const promise = database.prepare("INSERT INTO outbox VALUES (?, ?, ?)");
  const keep = database.prepare("DELETE FROM outbox WHERE conversation = ? AND delivery = ?");
  const conversations = new Map();
  const conversationOf = (id) => {
    const known = conversations.get(id) ?? { number: begun.run(id).lastInsertRowid, seq: 0, fresh: [] };
    conversations.set(id, known);
    return known;
  };
  const write = ({ envelope, raw, deliver, answers }) => {
    const { conversation, sender, events } = envelope.openFloor;
    const known = conversationOf(conversation.id);
    const first = known.seq + 1;
    known.seq += entriesPerEnvelope;
    const keys = events.filter(({ eventType }) => eventType === "utterance").map((event) => keyOf(sender, event));
    append.run(known.number, first, known.seq, raw, keys.length === 0 ? null : Buffer.concat(keys));
    known.fresh.push(...keys);
    if (known.fresh.length >= keysTogether) for (const key of known.fresh.splice(0)) remember.run(known.number, key);
    if (deliver !== undefined) promise.run(known.number, deliver, known.seq);
    if (answers !== undefined) keep.run(known.number, answers);
  };
  return groupCommit(database, write, onCommit);
}

/** Who named it how, and what it said. */
function keyOf({ speakerUri }, { to, parameters }) {
  const { id, features } = parameters.dialogEvent;
  const content = JSON.stringify([to, features]);
  return Buffer.concat([digest(`${speakerUri} ${id}`).subarray(0, 16), digest(content).subarray(0, 16)]);
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
