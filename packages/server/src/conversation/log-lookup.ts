import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Entry, Floor } from "@plenary/floor";
import type { ConversationLog } from "../ports/conversation-log.ts";
import { maySee, type Reader } from "./visibility.ts";

/** Limits of the part of a log in memory: entries, and characters as JSON. */
export type LogEndMax = { entriesMax: number; charsMax: number };

/** Small, because each entry may be as large as a request body. */
const pageMax = 50;

/**
 * The end of a log, rendered by `show`, oldest first. Reads from the newest entry backwards until the limits are reached;
 * the newest entry is always included.
 */
export async function endOfLog<Shown>(
  log: Pick<ConversationLog, "entries">,
  { id, seq }: Floor,
  { entriesMax, charsMax }: LogEndMax,
  show: (entry: Entry) => Shown,
): Promise<Shown[]> {
  const newestFirst: Shown[] = [];
  const oldest = Math.max(0, seq - entriesMax);
  let chars = 0;
  for (let end = seq; end > oldest; end -= pageMax) {
    const after = Math.max(oldest, end - pageMax);
    const page = await log.entries(id, { after, limit: end - after });
    for (const entry of page.toReversed()) {
      const shown = show(entry);
      chars += JSON.stringify(shown)?.length ?? 0;
      if (chars > charsMax && newestFirst.length > 0) return newestFirst.reverse();
      newestFirst.push(shown);
    }
    // A store may answer at once, so other work runs between two pages.
    await yieldToEventLoop();
  }
  return newestFirst.reverse();
}

/** Whether this entry ends the delivery. */
export function isEndOf(entry: Entry, delivery: string): boolean {
  if (entry.kind === "received") return entry.answers === delivery;
  return (entry.kind === "late" || entry.kind === "missed") && entry.delivery === delivery;
}

type Delivered = { conversationId: string; effect: { delivery: string } };

/** Whether the log has neither an answer nor a failure of this delivery. */
export async function isUnended(
  log: Pick<ConversationLog, "entries">,
  { conversationId, effect: { delivery } }: Delivered,
): Promise<boolean> {
  const limit = 256;
  for (let after = seqIn(delivery); after >= 0; after += limit) {
    const entries = await log.entries(conversationId, { after, limit });
    if (entries.some((entry) => isEndOf(entry, delivery))) return false;
    if (entries.length < limit) return true;
  }
  return true;
}

/** Open deliveries that are looked up. */
const openMax = 32;

/**
 * Recipients that have not answered a delivery yet. The recipient of a whisper is listed only for a reader who may see the
 * whisper.
 */
export async function pendingRecipients(log: ConversationLog, floor: Floor, reader: Reader): Promise<string[]> {
  const open = floor.open.filter(({ asker }) => asker === undefined).slice(-openMax);
  const shown = await Promise.all(
    open.map(async ({ id, to }) => {
      const entry = await beginningOf(log, floor.id, id);
      return entry !== undefined && maySee(entry, reader) ? [to] : [];
    }),
  );
  return [...new Set(shown.flat())];
}

/** The id of a delivery contains the number of its first entry: `d12.0`. NaN for other ids. */
export function seqIn(delivery: string): number {
  return Number(/^d(\d+)\./u.exec(delivery)?.[1]);
}

/** The first entry of a delivery. */
export async function beginningOf(
  log: Pick<ConversationLog, "entries">,
  conversationId: string,
  delivery: string,
): Promise<Entry | undefined> {
  const seq = seqIn(delivery);
  if (!Number.isInteger(seq)) return undefined;
  const [entry] = await log.entries(conversationId, { after: seq - 1, limit: 1 });
  return entry;
}
