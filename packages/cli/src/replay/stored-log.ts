import type { Entry } from "@plenary/floor";
import type { LogFile } from "@plenary/server";
import { findConversation, pageMax, pagesOf } from "../floor/conversations.ts";
import type { Io } from "../io.ts";
import { existingStoreFile } from "../store/location.ts";
import { readStore } from "../store/store.ts";

/** A stored conversation; of a long log only the beginning. */
export type StoredLog = { id: string; title?: string; entries: readonly Entry[]; seq: number };

export type LogMax = { entriesMax: number; charsMax: number };

/** Of a longer or larger log only the beginning is replayed. */
const logMax: LogMax = { entriesMax: 50_000, charsMax: 64 * 1_048_576 };
const pageEntries = 200;

export async function readStoredLog(name: string, store: string | undefined, io: Io): Promise<StoredLog> {
  const file = existingStoreFile(store, io);
  const { openLogFile } = await import("@plenary/server");
  const log = readStore(file, () => openLogFile(file));
  try {
    const found = await findConversation(
      name,
      pagesOf((after) => pageOf(log, after)),
    );
    const { id, seq, title } = found;
    return { id, ...(title !== undefined && { title }), seq, entries: await entriesOf(log, { id, seq }, logMax) };
  } finally {
    log.close();
  }
}

async function pageOf(log: LogFile, after: string) {
  const conversations = await log.list({ after, limit: pageMax });
  return { conversations, next: conversations.length < pageMax ? null : (conversations.at(-1)?.id ?? null) };
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
