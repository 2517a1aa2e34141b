import type { Floor } from "@plenary/floor";
import type { FloorStore } from "../../ports.ts";
import { openReader } from "./database.ts";
import { createReader } from "./reader.ts";

/** The conversations of a store for whoever only reads: beside a floor that is using it, and without leaving anything. */
export type LogFile = Pick<FloorStore, "entries" | "list" | "load"> & { close(): void };

export function openLogFile(file: string): LogFile {
  const db = openReader(file);
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
