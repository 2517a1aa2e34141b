import type { Entry } from "@plenary/floor";
import type { FloorContext, ProcessContext, StorageContext } from "../context.ts";
import { maySee, type Reader, readerFor } from "../conversation/visibility.ts";
import { Problem } from "../errors.ts";
import { traceIdOf } from "../observability/spans.ts";
import type { Feedback } from "../ports/feedback-store.ts";
import { readJsonObject } from "../routing/body.ts";
import type { Mount } from "../routing/guards.ts";
import type { CallerOf } from "./client-identity.ts";

type FeedbackContext = Pick<
  ProcessContext & FloorContext & StorageContext,
  "store" | "log" | "lookups" | "clock" | "self"
>;

const bodyBytesMax = 65_536;

/** Feedback on turns: sent with the trace id of a turn, read by conversation. */
export function mountFeedback(mount: Mount, context: FeedbackContext, personIn: CallerOf): void {
  mount("POST /feedback", async (c) => {
    const { person, isNamed } = await personIn(c);
    if (!isNamed) {
      const detail = "the sender of this feedback is unknown";
      const fix = "send the session cookie that the conversation was held with, its Conversation-Id, or a credential";
      throw new Problem("unauthorized", { detail, fix });
    }
    const given = feedbackIn(await readJsonObject(c.req.raw, bodyBytesMax));
    const at = new Date(context.clock.now()).toISOString();
    await context.store.feedback.keepFeedback({ ...given, by: person.speakerUri, at });
    return c.json({ message: "kept", observability_trace_id: given.traceId });
  });
  mount("GET /api/v1/conversations/:id/feedback", async (c) => {
    const floor = c.get("floor");
    const reader = readerFor(floor, c.get("speaker"));
    return c.json({ feedback: await feedbackOn(context, { id: floor.id, reader }) });
  });
}

const reactionMax = 64;
const commentMax = 4_000;

function feedbackIn(fields: Record<string, unknown>): Pick<Feedback, "traceId" | "reaction" | "comment"> {
  const { observability_trace_id: trace } = fields;
  // The toolkit's own trace ids are UUIDs; ours may come back written like one.
  const traceId = typeof trace === "string" ? trace.replaceAll("-", "").toLowerCase() : "";
  if (!/^[0-9a-f]{32}$/u.test(traceId)) {
    throw wrong(
      "observability_trace_id",
      "it is the id of a trace, 32 hexadecimal digits",
      "send the id that the floor sent with the turn",
    );
  }
  const reaction = shortText(fields, "reaction_type", reactionMax);
  const comment = shortText(fields, "comment", commentMax);
  if (reaction === undefined && comment === undefined) {
    throw wrong("reaction_type", "it and `comment` are both missing", "send one of them, or both");
  }
  return { traceId, ...(reaction !== undefined && { reaction }), ...(comment !== undefined && { comment }) };
}

/** An empty text removes the earlier one. */
function shortText(fields: Record<string, unknown>, name: string, max: number): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && value.length <= max) return value;
  throw wrong(name, `it is a text of at most ${max} characters`, "send such a text, or leave it out");
}

function wrong(name: string, rule: string, fix: string): Problem {
  return new Problem("bad-request", { pointer: `/${name}`, detail: `/${name}: ${rule}`, fix });
}

const pageSize = 1_000;
/** Beyond this, feedback on the newest turns is listed. */
const rowsMax = 1_000;

type Row = Feedback & { turn: string };

/**
 * Feedback of persons who saw a part of the conversation: others may know a trace id too. Only on turns whose first event
 * the reader may see: feedback on an answer to a whisper may quote the whisper.
 */
async function feedbackOn(
  { store, log, lookups, self }: FeedbackContext,
  { id, reader }: { id: string; reader: Reader },
): Promise<Row[]> {
  const known = new Set<string>();
  const hasSeen = new Map<string, boolean>();
  let rows: Row[] = [];
  for (let after = 0; ; ) {
    const entries = await log.entries(id, { after, limit: pageSize });
    const last = entries.at(-1);
    if (last === undefined) return rows;
    after = last.seq;
    const turns = new Map(
      begunIn(entries, known)
        .filter((entry) => maySee(entry, reader))
        .map(({ turn }) => [traceIdOf({ conversationId: id, turn }, self), turn]),
    );
    for (const one of await store.feedback.feedback([...turns.keys()])) {
      const isConversant = hasSeen.get(one.by) ?? (await lookups.hasSeen(id, one.by));
      hasSeen.set(one.by, isConversant);
      if (isConversant) rows.push({ turn: turns.get(one.traceId) ?? "", ...one });
    }
    rows = rows.slice(-rowsMax);
  }
}

/** The first event of each turn. */
function begunIn(entries: readonly Entry[], known: Set<string>): Entry[] {
  return entries.filter(({ kind, turn }) => {
    if (kind !== "event" || known.has(turn)) return false;
    known.add(turn);
    return true;
  });
}
