import type { LogRange, StoredWebhook, WebhookDeadLetter, WebhookStore } from "../../ports/webhook-store.ts";
import type { Db } from "./database.ts";
import type { GroupCommit } from "./group-commit.ts";

/** `view` is a connection that sees durable rows only. */
export function createWebhookTables(db: Db, view: Db, groups: GroupCommit): WebhookStore {
  const sql = prepare(db);
  const ranges = view.prepare<[number, number], LogRange>(
    `SELECT l.pos AS position, c.id AS conversationId, l.first, l.last
     FROM log l JOIN conversation c ON c.no = l.conversation WHERE l.pos > ? ORDER BY l.pos LIMIT ?`,
  );
  const end = view.prepare<[], number | null>("SELECT max(pos) FROM log").pluck();
  return {
    webhooks: async () => sql.webhooks.all(),
    async keepWebhooks({ kept, forgotten }) {
      await groups.join(() => {
        for (const id of forgotten) {
          sql.forget.run(id);
          sql.forgetLetters.run(id);
        }
        for (const { id, known } of kept) sql.keep.run(id, known);
      });
    },
    webhookLetters: async ({ webhook, after = "", limit }) => sql.letters.all(webhook, after, limit),
    async keepWebhookLetters({ kept, forgotten }) {
      await groups.join(() => {
        for (const { webhook, id } of forgotten) sql.forgetLetter.run(webhook, id);
        for (const letter of kept) sql.keepLetter.run(letter);
      });
    },
    logRanges: async ({ after, limit }) => ranges.all(after, limit),
    logEnd: async () => end.get() ?? 0,
  };
}

function prepare(db: Db) {
  return {
    webhooks: db.prepare<[], StoredWebhook>("SELECT id, known FROM webhook"),
    keep: db.prepare<[string, string]>("INSERT OR REPLACE INTO webhook (id, known) VALUES (?, ?)"),
    forget: db.prepare<[string]>("DELETE FROM webhook WHERE id = ?"),
    letters: db.prepare<[string, string, number], WebhookDeadLetter>(
      `SELECT webhook, id, conversation AS conversationId, seq, failure, at FROM webhook_letter
       WHERE webhook = ? AND id > ? ORDER BY id LIMIT ?`,
    ),
    keepLetter: db.prepare<[WebhookDeadLetter]>(
      `INSERT OR REPLACE INTO webhook_letter (webhook, id, conversation, seq, failure, at)
       VALUES (@webhook, @id, @conversationId, @seq, @failure, @at)`,
    ),
    forgetLetter: db.prepare<[string, string]>("DELETE FROM webhook_letter WHERE webhook = ? AND id = ?"),
    forgetLetters: db.prepare<[string]>("DELETE FROM webhook_letter WHERE webhook = ?"),
  };
}
