import type { Change } from "../../ports/store.ts";
import { lock, openWriter } from "./database.ts";
import { createEraser } from "./eraser.ts";
import { createReader } from "./reader.ts";
import { type CachedConversation, createWriter } from "./writer.ts";

/** Writes imported conversations and leaves the others unchanged. It locks the store. */
export type Importer = {
  has(conversationId: string): boolean;
  /** Writes a whole conversation or, when `changes` throws, nothing. */
  write(changes: AsyncIterable<Change>): Promise<void>;
  close(): void;
};

export function openImporter(file: string): Importer {
  const locked = lock(file);
  const db = openWriter(file);
  const reader = createReader(db);
  const eraser = createEraser(db);
  const writer = createWriter(db, eraser, { isForeign: true });
  return {
    has: (id) => reader.noOf(id) !== undefined,
    async write(changes) {
      db.exec("BEGIN IMMEDIATE");
      try {
        let held: CachedConversation | undefined;
        for await (const change of changes) held = writer.write(held, change);
        db.exec("COMMIT");
      } catch (error) {
        if (db.inTransaction) db.exec("ROLLBACK");
        throw error;
      }
      eraser.settle();
    },
    close() {
      db.close();
      locked.release();
    },
  };
}
