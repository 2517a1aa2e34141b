import type { Change } from "../../ports/store.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** One delivery from the moment its row is durable. */
export type OutboxRow = {
  conversationId: string;
  delivery: string;
  serviceUrl: string;
  writtenAtMs: number;
  endedAtMs?: number;
  end?: "answered" | "dead" | "stopped";
};

/** What became durable, and when. */
export type OutboxBook = {
  rows: OutboxRow[];
  /** By conversation and seq. */
  wroteAtMs: Map<string, number>;
  note(conversationId: string, change: Change): void;
  stop(conversationId: string, delivery: string): void;
};

export function createOutboxBook(time: VirtualTime): OutboxBook {
  const byName = new Map<string, OutboxRow>();
  const rows: OutboxRow[] = [];
  const wroteAtMs = new Map<string, number>();
  const end = (conversationId: string, delivery: string, how: NonNullable<OutboxRow["end"]>) => {
    const row = byName.get(`${conversationId} ${delivery}`);
    if (row === undefined) return;
    row.end ??= how;
    row.endedAtMs ??= time.nowMs();
  };
  return {
    rows,
    wroteAtMs,
    stop: (conversationId, delivery) => end(conversationId, delivery, "stopped"),
    note(conversationId, { entries, deliveries, settled, dead }) {
      const nowMs = time.nowMs();
      for (const { seq } of entries) wroteAtMs.set(`${conversationId} ${seq}`, nowMs);
      for (const { delivery, to } of deliveries) {
        const row = { conversationId, delivery, serviceUrl: to.serviceUrl, writtenAtMs: nowMs };
        byName.set(`${conversationId} ${delivery}`, row);
        rows.push(row);
      }
      const failed = new Set(dead.map(({ delivery }) => delivery));
      for (const delivery of settled) end(conversationId, delivery, failed.has(delivery) ? "dead" : "answered");
    },
  };
}
