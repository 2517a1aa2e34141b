import type { Change } from "../../ports/conversation-log.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A delivery whose row in the outbox is durable. */
export type OutboxRow = {
  conversationId: string;
  delivery: string;
  serviceUrl: string;
  writtenAtMs: number;
  endedAtMs?: number;
  end?: "answered" | "dead" | "stopped";
};

/** Deliveries and entries, with the times at which they became durable. */
export type OutboxHistory = {
  rows: OutboxRow[];
  /** Times by conversation and seq. */
  wroteAtMs: Map<string, number>;
  record(conversationId: string, change: Change): void;
  stop(conversationId: string, delivery: string): void;
};

export function createOutboxHistory(time: VirtualTime): OutboxHistory {
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
    record(conversationId, { entries, deliveries, settled, dead }) {
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
