import {
  type Feedback,
  type FeedbackStore,
  feedbackMax,
  feedbackPerSpeakerMax,
  mergedFeedback,
} from "../../ports/feedback.ts";
import type { Db } from "./database.ts";
import type { GroupCommit } from "./group-commit.ts";

type Row = { no: number; traceId: string; by: string; reaction: string | null; comment: string | null; at: string };

/** The table of feedback. It shares the commits of conversations. */
export function createFeedbackTable(db: Db, groups: GroupCommit): FeedbackStore {
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
