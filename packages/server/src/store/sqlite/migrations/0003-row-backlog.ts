import type { Migration } from "./migration.ts";

/**
 * A decision writes one row of the log, and the tables beside it are filled for many rows at a time (`row-backlog.ts`).
 *
 * `place`: where the rows of a conversation are; it replaces the index `log_place`. `moved`: the last row whose places,
 * utterances and deliveries are in their tables. `settled`: deliveries of later rows that ended without a decision. The
 * keys of utterances that an earlier release had left in the log are moved to `utterance`; `conversation.keyed` is not
 * used any more, and `log.keys` holds what the tables still lack.
 */
export const rowBacklog: Migration = {
  version: 3,
  name: "write the tables beside the log in batches",
  sql: `
    CREATE TABLE place (
      conversation INTEGER NOT NULL, first INTEGER NOT NULL, pos INTEGER NOT NULL, PRIMARY KEY (conversation, first)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO place SELECT conversation, first, pos FROM log ORDER BY conversation, first;
    CREATE TABLE moved (pos INTEGER NOT NULL) STRICT;
    INSERT INTO moved SELECT coalesce(max(pos), 0) FROM log;
    CREATE TABLE settled (
      conversation INTEGER NOT NULL, delivery TEXT NOT NULL, pos INTEGER NOT NULL, PRIMARY KEY (conversation, delivery)
    ) STRICT, WITHOUT ROWID;
    INSERT OR IGNORE INTO utterance (conversation, id, sender, hash)
      SELECT l.conversation, k.value ->> '$.dialogEventId', k.value ->> '$.sender', k.value ->> '$.hash'
      FROM log l JOIN conversation c ON c.no = l.conversation, json_each(l.keys) k
      WHERE l.keys IS NOT NULL AND l.first > c.keyed;
    DROP INDEX log_place;
  `,
  views: {
    place: "CREATE TEMP VIEW place AS SELECT conversation, first, pos FROM log",
    moved: "CREATE TEMP VIEW moved AS SELECT coalesce(max(pos), 0) AS pos FROM log",
  },
};
