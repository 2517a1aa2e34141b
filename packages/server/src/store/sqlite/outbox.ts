import { conversationOf, type DeliverEffect, type Floor } from "@plenary/floor";
import type { Conversation } from "@plenary/protocol";
import type { Timer } from "../../ports/conversation-log.ts";
import type { DeadLetter, DeadLetterKey, PendingDelivery, PendingWork } from "../../ports/outbox.ts";
import type { Db } from "./database.ts";
import type { SqliteReader } from "./reader.ts";
import type { RowBacklog } from "./row-backlog.ts";
import { toEffect } from "./row-codec.ts";

export type SqliteOutbox = {
  pending(): PendingWork;
  deadLetters(query: { after?: DeadLetterKey; limit: number; conversationId?: string }): DeadLetter[];
  deadLetter(key: DeadLetterKey): DeadLetter | undefined;
  /** The following run in a commit group. */
  redeliver(key: DeadLetterKey): boolean;
  settle(conversationId: string, delivery: string): void;
  sweep(before: { deadLetters: string; requests: string }): void;
};

type SentRow = {
  id: string;
  conversation: number;
  delivery: string;
  seq: number;
  body: string;
  payload: string;
};

type OutboxRow = SentRow & { revived: number };

type DeadRow = SentRow & { failure: string; detail: string; at: string };

/** Pending deliveries and timers, and dead letters. */
export function createSqliteOutbox(db: Db, reader: SqliteReader, backlog: RowBacklog): SqliteOutbox {
  const sql = prepare(db);

  /** Each effect has the conversation section of its time. Rows are processed in log order, so the log is folded once. */
  function withEffects<Row extends SentRow>(rows: readonly Row[]): { row: Row; effect: DeliverEffect }[] {
    let floor: Floor | undefined;
    let conversation: Conversation | undefined;
    const inOrder = rows.map((row, place) => ({ row, place })).sort((one, other) => inLogOrder(one.row, other.row));
    const effects = inOrder.map(({ row, place }) => {
      const earlier = floor?.id === row.id ? floor : undefined;
      if (earlier?.seq !== row.seq || conversation === undefined) {
        floor = reader.floor(row.conversation, row.id, row.seq, earlier)?.floor;
        if (floor === undefined) throw new Error(`no floor at ${row.seq}`);
        conversation = conversationOf(floor);
      }
      return { row, place, effect: toEffect(row, conversation) };
    });
    return effects.sort((one, other) => one.place - other.place);
  }

  function deadLettersOf(rows: readonly DeadRow[]): DeadLetter[] {
    return withEffects(rows).map(({ row: { id: conversationId, failure, detail, at }, effect }) => {
      return { conversationId, effect, failure, detail, at };
    });
  }

  /** Deliveries that are not in the table yet. */
  function waiting(): OutboxRow[] {
    return backlog.all().flatMap(({ no, pos, last: seq, sent }) => {
      const row = sent.length === 0 ? undefined : sql.logRow.get(pos);
      return row === undefined ? [] : sent.map((one) => ({ ...row, ...one, conversation: no, seq, revived: 0 }));
    });
  }

  return {
    pending() {
      const rows = [...sql.outbox.all(), ...waiting()].toSorted(inLogOrder);
      const deliveries = withEffects(rows).map(({ row, effect }): PendingDelivery => {
        return { conversationId: row.id, effect, ...(row.revived === 1 && { isRedelivery: true }) };
      });
      const timers = sql.timers.all().map(({ conversationId, ...timer }) => ({ conversationId, timer }));
      return { deliveries, timers };
    },
    deadLetters({ after, limit, conversationId }) {
      const [from, delivery] = [after?.conversationId ?? "", after?.delivery ?? ""];
      return deadLettersOf(sql.dead.all({ from, delivery, limit, only: conversationId ?? null }));
    },
    deadLetter({ conversationId, delivery }) {
      const row = sql.oneDead.get(conversationId, delivery);
      return row && deadLettersOf([row])[0];
    },
    redeliver({ conversationId, delivery }) {
      const { changes } = sql.redeliver.run(conversationId, delivery);
      if (changes > 0) sql.unbury.run(conversationId, delivery);
      return changes > 0;
    },
    settle(conversationId, delivery) {
      const no = reader.noOf(conversationId);
      const pos = no === undefined ? undefined : backlog.settle(no, delivery);
      if (pos === undefined) sql.settle.run(conversationId, delivery);
      else sql.settled.run(no, delivery, pos);
    },
    sweep({ deadLetters, requests }) {
      sql.sweepDead.run(deadLetters);
      sql.sweepWebhookLetters.run(deadLetters);
      sql.sweepRequests.run(requests);
    },
  };
}

function inLogOrder(one: SentRow, other: SentRow): number {
  return one.conversation - other.conversation || one.seq - other.seq;
}

/** Joins the log row that contains the events. */
const withLog = (table: string) => `FROM ${table} d JOIN conversation c ON c.no = d.conversation
  JOIN place p ON p.conversation = d.conversation
    AND p.first = (SELECT max(first) FROM place WHERE conversation = d.conversation AND first <= d.seq)
  JOIN log l ON l.pos = p.pos`;
const common = "c.id, d.conversation, d.delivery, d.seq, d.body, l.payload";
const dead = `${common}, d.failure, d.detail, d.at ${withLog("dead_letter")}`;
const named = "conversation = (SELECT no FROM conversation WHERE id = ?) AND delivery = ?";

function prepare(db: Db) {
  return {
    outbox: db.prepare<[], OutboxRow>(
      `SELECT ${common}, d.revived ${withLog("outbox")} ORDER BY d.conversation, d.seq, d.rank`,
    ),
    logRow: db.prepare<[number], Pick<SentRow, "id" | "payload">>(
      "SELECT c.id, l.payload FROM log l JOIN conversation c ON c.no = l.conversation WHERE l.pos = ?",
    ),
    timers: db.prepare<[], { conversationId: string } & Timer>(
      `SELECT c.id AS conversationId, t.id, t.at, t.since FROM timer t JOIN conversation c ON c.no = t.conversation ORDER BY t.at`,
    ),
    dead: db.prepare<[{ from: string; delivery: string; limit: number; only: string | null }], DeadRow>(
      `SELECT ${dead}
       WHERE (c.id, d.delivery) > (@from, @delivery) AND (@only IS NULL OR c.id = @only)
       ORDER BY c.id, d.delivery LIMIT @limit`,
    ),
    oneDead: db.prepare<[string, string], DeadRow>(`SELECT ${dead} WHERE c.id = ? AND d.delivery = ?`),
    redeliver: db.prepare<[string, string]>(
      `INSERT OR IGNORE INTO outbox (conversation, delivery, seq, rank, body, revived)
       SELECT conversation, delivery, seq, rank, body, 1 FROM dead_letter WHERE ${named}`,
    ),
    unbury: db.prepare<[string, string]>(`DELETE FROM dead_letter WHERE ${named}`),
    settle: db.prepare<[string, string]>(`DELETE FROM outbox WHERE ${named}`),
    settled: db.prepare("INSERT OR IGNORE INTO settled (conversation, delivery, pos) VALUES (?, ?, ?)"),
    sweepDead: db.prepare<[string]>("DELETE FROM dead_letter WHERE at < ?"),
    sweepWebhookLetters: db.prepare<[string]>("DELETE FROM webhook_letter WHERE at < ?"),
    sweepRequests: db.prepare<[string]>("DELETE FROM request WHERE at < ?"),
  };
}
