import type { StoredManifest } from "@plenary/sdk";
import {
  type Feedback,
  type FeedbackStore,
  feedbackMax,
  feedbackPerSpeakerMax,
  mergedFeedback,
} from "../../ports/feedback-store.ts";
import type { FloorStore } from "../../ports/store.ts";
import type { Db } from "./database.ts";
import type { GroupCommit } from "./group-commit.ts";

/** Tables beside the logs. They share the commits of conversations, so a write costs no disk sync of its own. */
export function createSideTables(db: Db, groups: GroupCommit): Pick<FloorStore, "agents" | "catalogue" | "feedback"> {
  const agents = createTextTable(db, groups, { table: "known_agent", column: "url" });
  const manifests = createTextTable(db, groups, { table: "catalogue", column: "key" });
  return {
    agents: {
      agents: async () => agents.all().map(({ key, known }) => ({ serviceUrl: key, known })),
      keepAgents: ({ kept, forgotten }) =>
        agents.keep({ kept: kept.map(({ serviceUrl, known }) => ({ key: serviceUrl, known })), forgotten }),
    },
    catalogue: { manifests: async () => manifests.all(), keepManifests: manifests.keep },
    feedback: createFeedbackTable(db, groups),
  };
}

/** Texts by key. */
function createTextTable(db: Db, groups: GroupCommit, { table, column }: { table: string; column: string }) {
  const all = db.prepare<[], StoredManifest>(`SELECT ${column} AS key, known FROM ${table}`);
  const keep = db.prepare<[string, string]>(
    `INSERT INTO ${table} (${column}, known) VALUES (?, ?) ON CONFLICT (${column}) DO UPDATE SET known = excluded.known`,
  );
  const forget = db.prepare<[string]>(`DELETE FROM ${table} WHERE ${column} = ?`);
  return {
    all: () => all.all(),
    async keep({ kept, forgotten }: { kept: readonly StoredManifest[]; forgotten: readonly string[] }): Promise<void> {
      await groups.join(() => {
        for (const key of forgotten) forget.run(key);
        for (const { key, known } of kept) keep.run(key, known);
      });
    },
  };
}

type Row = { no: number; traceId: string; by: string; reaction: string | null; comment: string | null; at: string };

function createFeedbackTable(db: Db, groups: GroupCommit): FeedbackStore {
  const sql = prepare(db);
  const write = (given: Feedback) => {
    const before = sql.one.get(given.traceId, given.by);
    const merged = mergedFeedback(before && fromRow(before), given);
    if (before !== undefined) sql.forget.run(before.no);
    if (merged === undefined) return;
    const { traceId, by, reaction = null, comment = null, at } = merged;
    sql.keep.run(traceId, by, reaction, comment, at);
    sql.trimSpeaker.run(by, by, feedbackPerSpeakerMax);
    sql.trim.run(feedbackMax);
  };
  return {
    async keepFeedback(given) {
      await groups.join(() => write(given));
    },
    async feedback(traceIds) {
      const rows = traceIds.flatMap((traceId) => sql.ofTrace.all(traceId));
      return rows.sort((one, other) => one.no - other.no).map(fromRow);
    },
  };
}

function fromRow({ traceId, by, reaction, comment, at }: Row): Feedback {
  return { traceId, by, ...(reaction !== null && { reaction }), ...(comment !== null && { comment }), at };
}

const columns = "no, trace AS traceId, speaker AS by, reaction, comment, at";

function prepare(db: Db) {
  return {
    one: db.prepare<[string, string], Row>(`SELECT ${columns} FROM feedback WHERE trace = ? AND speaker = ?`),
    ofTrace: db.prepare<[string], Row>(`SELECT ${columns} FROM feedback WHERE trace = ?`),
    forget: db.prepare<[number]>("DELETE FROM feedback WHERE no = ?"),
    // A new row gets the highest number, so the lowest numbers are the oldest.
    keep: db.prepare<[string, string, string | null, string | null, string]>(
      "INSERT INTO feedback (trace, speaker, reaction, comment, at) VALUES (?, ?, ?, ?, ?)",
    ),
    trimSpeaker: db.prepare<[string, string, number]>(
      `DELETE FROM feedback WHERE speaker = ? AND no <=
         (SELECT no FROM feedback WHERE speaker = ? ORDER BY no DESC LIMIT 1 OFFSET ?)`,
    ),
    trim: db.prepare<[number]>("DELETE FROM feedback WHERE no <= (SELECT max(no) FROM feedback) - ?"),
  };
}
