import type { Entry } from "@plenary/floor";
import type { LogFile } from "@plenary/server";
import { conversationsIn, findConversation } from "../floor/conversations.ts";
import type { Io } from "../io.ts";
import { existingStoreFile } from "../store/location.ts";
import { openLog } from "../store/store.ts";

/** A stored conversation; of a long log only the beginning. */
export type StoredLog = { id: string; title?: string; entries: readonly Entry[]; seq: number };

export type LogMax = { entriesMax: number; charsMax: number };

/** Of a longer or larger log only the beginning is replayed. */
const logMax: LogMax = { entriesMax: 50_000, charsMax: 64 * 1_048_576 };
const pageEntries = 200;

export async function readStoredLog(name: string, store: string | undefined, io: Io): Promise<StoredLog> {
  const log = await openLog(existingStoreFile(store, io));
  try {
    const { id, seq, title } = await findConversation(name, conversationsIn(log));
    return { id, ...(title !== undefined && { title }), seq, entries: await entriesOf(log, { id, seq }, logMax) };
  } finally {
    log.close();
  }
}

/** Reads from the first entry, because a floor is the fold of all its entries. */
export async function entriesOf(
  log: Pick<LogFile, "entries">,
  { id, seq }: { id: string; seq: number },
  { entriesMax, charsMax }: LogMax,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let chars = 0;
  for (;;) {
    const limit = Math.min(pageEntries, seq - entries.length, entriesMax - entries.length);
    const page = limit <= 0 ? [] : await log.entries(id, { after: entries.length, limit });
    if (page.length === 0) return entries;
    for (const entry of page) {
      chars += JSON.stringify(entry).length;
      if (chars > charsMax) return entries;
      entries.push(entry);
    }
  }
}
