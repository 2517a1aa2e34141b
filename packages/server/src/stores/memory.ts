import { apply, type DeliverEffect, type Entry, emptyFloor, type Floor } from "@plenary/floor";
import { type DialogEvent, textOf } from "@plenary/protocol";
import type { Change, FloorStore, Pending, Summary, Timer } from "../ports.ts";

type Kept = {
  floor: Floor;
  entries: Entry[];
  /** The floor after every so many entries, so that no look into the past folds a long log. */
  snapshots: Floor[];
  /** speakerUri and dialogEvent.id -> hashes. */
  hashes: Map<string, string[]>;
  utterances: Entry[];
  speakers: Set<string>;
  outbox: Map<string, DeliverEffect>;
  timers: Map<string, Timer>;
};

const snapshotEvery = 200;

/** Everything in this process, gone with it. Also the model that other stores are measured by. */
export function createMemoryStore(): FloorStore {
  const conversations = new Map<string, Kept>();
  const settings = new Map<string, string>();
  return {
    load: async (id) => conversations.get(id)?.floor,
    async append(id, change, expectedSeq) {
      const kept = conversations.get(id) ?? newcomer(id);
      if (kept.floor.seq !== expectedSeq) return "conflict";
      write(kept, change);
      conversations.set(id, kept);
      return "appended";
    },
    entries: async (id, { after, limit }) =>
      conversations.get(id)?.entries.slice(Math.max(0, after), Math.max(0, after) + limit) ?? [],
    async floorAt(id, seq) {
      const kept = conversations.get(id);
      return kept === undefined || seq < 1 || seq > kept.floor.seq ? undefined : past(kept, seq);
    },
    list: async (query) => summaries(conversations, query),
    count: async () => conversations.size,
    seen: async (id, utterances) =>
      utterances.map((one) => conversations.get(id)?.hashes.get(keyOf(one.sender, one.dialogEventId)) ?? []),
    utterancesLike: async (id, dialogEvents) =>
      conversations.get(id)?.utterances.filter((entry) => dialogEvents.some((one) => isLike(entry, one))) ?? [],
    async settle(id, delivery) {
      conversations.get(id)?.outbox.delete(delivery);
    },
    pending: async () => pendingOf(conversations),
    async keep(name, initial) {
      const value = settings.get(name) ?? initial;
      settings.set(name, value);
      return value;
    },
    ready: async () => {},
    close: async () => {},
  };
}

function newcomer(id: string): Kept {
  return {
    floor: emptyFloor(id),
    entries: [],
    snapshots: [],
    hashes: new Map(),
    utterances: [],
    speakers: new Set(),
    outbox: new Map(),
    timers: new Map(),
  };
}

function write(kept: Kept, { floor, entries, deliveries, timers, dedupe, settled, rung }: Change): void {
  for (const entry of entries) {
    kept.entries.push(entry);
    if (entry.kind === "event" && entry.event.eventType === "utterance") kept.utterances.push(entry);
    if (entry.seq % snapshotEvery === 0) kept.snapshots.push(past(kept, entry.seq));
    for (const speaker of entry.audience) kept.speakers.add(speaker);
  }
  for (const { sender, dialogEventId, hash } of dedupe) {
    const key = keyOf(sender, dialogEventId);
    kept.hashes.set(key, [...(kept.hashes.get(key) ?? []), hash]);
  }
  for (const effect of deliveries) kept.outbox.set(effect.delivery, effect);
  for (const delivery of settled) kept.outbox.delete(delivery);
  for (const timer of timers) kept.timers.set(timer.id, timer);
  for (const id of rung) kept.timers.delete(id);
  kept.floor = floor;
}

function past({ entries, snapshots, floor }: Kept, seq: number): Floor {
  const before = Math.min(Math.floor(seq / snapshotEvery), snapshots.length);
  let result = snapshots[before - 1] ?? emptyFloor(floor.id);
  for (const entry of entries.slice(before * snapshotEvery, seq)) result = apply(result, entry);
  return result;
}

function summaries(
  conversations: ReadonlyMap<string, Kept>,
  { after = "", limit, speaker }: { after?: string; limit: number; speaker?: string },
): Summary[] {
  const ids = [...conversations.keys()].filter((id) => id > after).sort();
  const found: Summary[] = [];
  for (const id of ids) {
    const kept = conversations.get(id);
    if (found.length >= limit || kept === undefined) break;
    if (speaker !== undefined && !kept.speakers.has(speaker)) continue;
    const { seq, isClosed } = kept.floor;
    const startedAt = kept.entries[0]?.at ?? "";
    found.push({ id, seq, startedAt, updatedAt: kept.entries.at(-1)?.at ?? startedAt, isClosed });
  }
  return found;
}

function pendingOf(conversations: ReadonlyMap<string, Kept>): Pending {
  const all = [...conversations];
  return {
    deliveries: all.flatMap(([conversationId, { outbox }]) =>
      [...outbox.values()].map((effect) => ({ conversationId, effect })),
    ),
    timers: all.flatMap(([conversationId, { timers }]) =>
      [...timers.values()].map((timer) => ({ conversationId, timer })),
    ),
  };
}

function isLike(entry: Entry, dialogEvent: DialogEvent): boolean {
  if (entry.kind !== "event" || entry.event.eventType !== "utterance") return false;
  const mine = entry.event.parameters.dialogEvent;
  if (mine.id === dialogEvent.id) return true;
  return mine.speakerUri === dialogEvent.speakerUri && textOf(mine) === textOf(dialogEvent);
}

function keyOf(sender: string, dialogEventId: string): string {
  return JSON.stringify([sender, dialogEventId]);
}
