import type { Entry } from "@plenary/floor";
import type { FloorEvent } from "@plenary/protocol";
import { loggedHash } from "../../conversation/dedupe.ts";
import { type Erasure, erasureOf, scrubbed } from "../../conversation/erasure.ts";
import type { Db } from "./database.ts";
import { sha256 } from "./hash-chain.ts";
import { inRow } from "./row-backlog.ts";
import { fromRow } from "./row-codec.ts";

export type Eraser = {
  /**
   * Scrubs the content of the entry and all copies of it. Runs in a commit group, with the `erased` entry, when the backlog
   * is moved.
   */
  erase(no: number, seq: number): void;
  /** After each commit: removes the old bytes from the files, or retries after the next commit while readers hold them. */
  settle(): void;
};

type Row = { pos: number; first: number; entries: string; payload: string };

export function createEraser(db: Db): Eraser {
  const sql = prepare(db);
  let hasLeftovers = false;

  function scrub(no: number, row: Row, isErased: (event: FloorEvent) => boolean): void {
    keepHashes(no, row, isErased);
    const events: FloorEvent[] = JSON.parse(row.payload);
    const left = events.map((event, place) => {
      if (!isErased(event)) return JSON.stringify(event);
      const [before, after] = [JSON.stringify(event), JSON.stringify(scrubbed(event))];
      if (before !== after) sql.mark.run(no, row.first, place, sha256(before));
      return after;
    });
    sql.payload.run(padded(`[${left.join(",")}]`, row.payload), row.pos);
  }

  /** A repetition of an erased utterance is still found by the hash of its content. */
  function keepHashes(no: number, row: Row, isErased: (event: FloorEvent) => boolean): void {
    const entries = fromRow(row);
    for (const entry of entries) {
      if (entry.kind !== "received") continue;
      const { sender } = entry;
      for (const event of entry.events) {
        if (event.eventType !== "utterance" || !isErased(event)) continue;
        const dialogEventId = event.parameters.dialogEvent.id;
        const kept = loggedHash(entries, { sender, dialogEventId });
        sql.utterance.run(kept, no, dialogEventId, sender, inRow(row.first));
      }
    }
  }

  return {
    erase(no, seq) {
      const row = sql.row.get(no, seq);
      const entry = row && fromRow(row).find((one) => one.seq === seq);
      if (row === undefined || entry === undefined) return;
      hasLeftovers = true;
      db.pragma("secure_delete = ON");
      const erasure = erasureOf(entry, JSON.parse(row.payload));
      scrub(no, row, erasure.isHere);
      for (const other of othersWith(erasure, no, row)) {
        const turns = turnsOf(fromRow(other));
        scrub(no, other, (event) => erasure.isElsewhere(event, turns));
      }
      // Snapshots contain the parked events of their time.
      sql.snapshots.run(no);
    },
    settle() {
      if (!hasLeftovers) return;
      db.pragma("secure_delete = FAST");
      // Does not wait for readers: the next commit tries again.
      db.pragma("busy_timeout = 0");
      const [done] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
      db.pragma("busy_timeout = 5000");
      hasLeftovers = done?.busy !== 0;
    },
  };

  function othersWith({ ids }: Erasure, no: number, { pos }: Row): Row[] {
    const found = ids.flatMap((id) => sql.with.all(no, pos, JSON.stringify(id)));
    return [...new Map(found.map((row) => [row.pos, row])).values()];
  }
}

/** Padded to the old length, so that SQLite overwrites the row in place. */
function padded(text: string, before: string): string {
  return text + " ".repeat(Math.max(0, Buffer.byteLength(before) - Buffer.byteLength(text)));
}

function turnsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ turn }) => turn);
}

function prepare(db: Db) {
  return {
    row: db.prepare<[number, number], Row>(
      `SELECT l.pos, l.first, l.entries, l.payload FROM place p JOIN log l ON l.pos = p.pos
       WHERE p.conversation = ? AND p.first <= ? ORDER BY p.first DESC LIMIT 1`,
    ),
    with: db.prepare<[number, number, string], Row>(
      `SELECT l.pos, l.first, l.entries, l.payload FROM place p JOIN log l ON l.pos = p.pos
       WHERE p.conversation = ? AND p.pos <> ? AND instr(l.payload, ?) > 0`,
    ),
    utterance: db.prepare<[string, number, string, string, string]>(
      "UPDATE OR REPLACE utterance SET hash = ? WHERE conversation = ? AND id = ? AND sender = ? AND hash = ?",
    ),
    payload: db.prepare<[string, number]>("UPDATE log SET payload = ? WHERE pos = ?"),
    mark: db.prepare<[number, number, number, string]>(
      "INSERT OR IGNORE INTO erased (conversation, first, place, said) VALUES (?, ?, ?, ?)",
    ),
    snapshots: db.prepare<[number]>(
      "DELETE FROM snapshot WHERE conversation = ? AND json_extract(floor, '$.parked') <> '[]'",
    ),
  };
}
