import type { Floor } from "@plenary/floor";
import type { FloorStore } from "../../ports/store.ts";
import { type Db, openReader } from "./database.ts";
import { createReader } from "./reader.ts";

/** Reads conversations of a store without writing; a floor may use the store at the same time. */
export type LogFile = Pick<FloorStore, "entries" | "list" | "load"> & { close(): void };

export function openLogFile(file: string): LogFile {
  const db = openReader(file);
  addMissingTables(db);
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

/** A store of an older Plenary lacks later tables: empty temporary tables replace them. */
function addMissingTables(db: Db): void {
  const tables = new Set(
    db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master")
      .all()
      .map(({ name }) => name),
  );
  // TEMP: nothing is written to the file.
  if (!tables.has("title")) db.exec("CREATE TEMP TABLE title (conversation INTEGER, speaker TEXT, title TEXT)");
  if (!tables.has("parent")) db.exec("CREATE TEMP TABLE parent (conversation INTEGER, parent TEXT)");
}
