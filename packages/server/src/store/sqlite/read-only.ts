import type { Floor } from "@plenary/floor";
import type { FloorStore } from "../../ports/store.ts";
import { type Db, openReader } from "./database.ts";
import { createReader } from "./reader.ts";

/** Reads the conversations of a store that a floor may be using, without writing anything. */
export type LogFile = Pick<FloorStore, "entries" | "list" | "load"> & { close(): void };

export function openLogFile(file: string): LogFile {
  const db = openReader(file);
  standIn(db);
  const reader = createReader(db);
  const found = (id: string): Floor | undefined => {
    const no = reader.noOf(id);
    return no === undefined ? undefined : reader.floor(no, id)?.floor;
  };
  return {
    load: async (id) => found(id),
    async entries(id, range) {
      const no = reader.noOf(id);
      return no === undefined ? [] : reader.entries(no, range);
    },
    list: async (query) => reader.list(query),
    close: () => db.close(),
  };
}

/** A store that no newer floor has opened yet lacks what was added since: it is read as if nothing were there. */
function standIn(db: Db): void {
  const there = new Set(
    db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master")
      .all()
      .map(({ name }) => name),
  );
  // Of this connection alone: nothing is written to the file.
  if (!there.has("title")) db.exec("CREATE TEMP TABLE title (conversation INTEGER, speaker TEXT, title TEXT)");
  if (!there.has("parent")) db.exec("CREATE TEMP TABLE parent (conversation INTEGER, parent TEXT)");
}
