import type { Entry, Floor } from "@plenary/floor";
import type { FloorStore } from "../ports/store.ts";
import { maySee, type Reader } from "./visibility.ts";

/** Open deliveries that are looked up. */
const openMax = 32;

/**
 * Recipients that have not answered a delivery yet. The recipient of a whisper is listed only for a reader who may see the
 * whisper.
 */
export async function pendingRecipients(store: FloorStore, floor: Floor, reader: Reader): Promise<string[]> {
  const open = floor.open.filter(({ asker }) => asker === undefined).slice(-openMax);
  const shown = await Promise.all(
    open.map(async ({ id, to }) => ((await isVisible(store, floor.id, id, reader)) ? [to] : [])),
  );
  return [...new Set(shown.flat())];
}

async function isVisible(
  store: FloorStore,
  conversationId: string,
  delivery: string,
  reader: Reader,
): Promise<boolean> {
  const entry = await beginningOf(store, conversationId, delivery);
  return entry !== undefined && maySee(entry, reader);
}

/** The id of a delivery contains the number of its first entry. */
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
