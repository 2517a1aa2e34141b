import type { Entry, Floor } from "@plenary/floor";
import type { FloorStore } from "../ports/store.ts";
import { maySee, type Reader } from "./conversation-view.ts";

/** So many are looked up. */
const awaitedMax = 32;

/**
 * Who was sent something and has not answered it yet, as far as the reader may know: that somebody is at work on a whisper
 * is known to the two alone.
 */
export async function awaitedBy(store: FloorStore, floor: Floor, reader: Reader): Promise<string[]> {
  const open = floor.open.filter(({ asker }) => asker === undefined).slice(-awaitedMax);
  const shown = await Promise.all(
    open.map(async ({ id, to }) => ((await isSeen(store, floor.id, id, reader)) ? [to] : [])),
  );
  return [...new Set(shown.flat())];
}

async function isSeen(store: FloorStore, conversationId: string, delivery: string, reader: Reader): Promise<boolean> {
  const entry = await beginningOf(store, conversationId, delivery);
  return entry !== undefined && maySee(entry, reader);
}

/** A delivery is named after the entry that it began with. */
export async function beginningOf(
  store: Pick<FloorStore, "entries">,
  conversationId: string,
  delivery: string,
): Promise<Entry | undefined> {
  const seq = Number(/^d(\d+)\./u.exec(delivery)?.[1]);
  if (!Number.isInteger(seq)) return undefined;
  const [entry] = await store.entries(conversationId, { after: seq - 1, limit: 1 });
  return entry;
}
