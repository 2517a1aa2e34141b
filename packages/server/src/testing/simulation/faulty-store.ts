import type { Entry } from "@plenary/floor";
import { loggedHash } from "../../conversation/dedupe.ts";
import { StoreError } from "../../errors.ts";
import type { Change } from "../../ports/conversation-log.ts";
import type { FloorStore } from "../../ports/store.ts";
import { type NodeProcess, whileAlive } from "./node-process.ts";
import { createOutboxHistory, type OutboxHistory } from "./outbox-history.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The points of a write at which the process can crash. */
export type WritePoint = "before append" | "unsynced" | "after append" | "before settle";

export const noSpace = () => new StoreError("full", "no space left on device", { retryable: true });

type Pending = {
  conversationId: string;
  change: Change;
  expectedSeq: number;
  resolve: (outcome: "appended" | "conflict") => void;
  reject: (error: Error) => void;
};

/** Writes of one process that are not synced: only this process sees them, and they are lost when it dies. */
type Unsynced = { nodeProcess: NodeProcess; pending: Pending[]; isSyncing: boolean };

export type FaultyStoreOptions = {
  time: VirtualTime;
  syncMs: () => number;
  /** Delays before and after a read; after the second one the result may be outdated. */
  readMs: () => { requestMs: number; responseMs: number };
  /** True when the process died at this point. */
  crashes: (point: WritePoint, nodeProcess: NodeProcess) => boolean;
  isFull: () => boolean;
  /** Whether a full disk fails the append, not only the sync. */
  isNoticedAtAppend: () => boolean;
  /** Whether an append reports a conflict without a reason. */
  conflicts: () => boolean;
  onDurable: (conversationId: string, nodeProcess: NodeProcess, entries: readonly Entry[]) => void;
};

export type FaultyStore = {
  open(nodeProcess: NodeProcess): FloorStore;
  /** Number of writes that a dead process had not synced. */
  lost(nodeProcess: NodeProcess): number;
  outbox: OutboxHistory;
  /** The durable state. */
  durable(): FloorStore;
  close(): Promise<void>;
};

/**
 * A disk that several processes share. The writer sees its own writes at once, other processes after the sync. A process
 * that dies before the sync loses them, so it must not have acknowledged them.
 */
export function createFaultyStore(options: FaultyStoreOptions & { durable: FloorStore }): FaultyStore {
  const unsynced = new Map<NodeProcess, Unsynced>();
  const outbox = createOutboxHistory(options.time);
  return {
    outbox,
    durable: () => options.durable,
    lost: (nodeProcess) => unsynced.get(nodeProcess)?.pending.length ?? 0,
    open(nodeProcess) {
      const own: Unsynced = { nodeProcess, pending: [], isSyncing: false };
      unsynced.set(nodeProcess, own);
      return storeOf({ ...options, outbox }, own);
    },
    close: async () => {},
  };
}

type Disk = FaultyStoreOptions & { durable: FloorStore; outbox: OutboxHistory };

function storeOf(options: Disk, own: Unsynced): FloorStore {
  const { durable, crashes, outbox } = options;
  const { nodeProcess } = own;
  const newest = (id: string) => own.pending.findLast(({ conversationId }) => conversationId === id)?.change.floor;
  const readGuard = createReadGuard();
  const ifAlive = <T>(work: () => Promise<T>) => whileAlive(nodeProcess, work);
  const read = <T>(work: () => Promise<T>) => ifAlive(() => withReadDelay(options, work));
  return {
    log: {
      load: (id) => read(async () => newest(id) ?? durable.log.load(id)),
      append: (id, change, expectedSeq) => ifAlive(() => append(options, own, { id, change, expectedSeq })),
      entries: (id, range) =>
        read(() => {
          readGuard.check(options.time.steps());
          return durable.log.entries(id, range);
        }),
      floorAt: (id, seq) => read(() => durable.log.floorAt(id, seq)),
      list: (query) => read(() => durable.log.list(query)),
      count: () => read(() => durable.log.count()),
    },
    lookups: {
      seen: (id, utterances) =>
        read(async () => {
          const seenBefore = await durable.lookups.seen(id, utterances);
          const fresh = own.pending.filter(({ conversationId }) => conversationId === id);
          const keys = fresh.flatMap(({ change: { dedupe, entries } }) =>
            dedupe.map((key) => ({ ...key, hash: key.hash ?? loggedHash(entries, key) })),
          );
          return utterances.map((one, index) => [
            ...(seenBefore[index] ?? []),
            ...keys.filter((key) => key.sender === one.sender && key.dialogEventId === one.dialogEventId).map(hashOf),
          ]);
        }),
      whispersLike: (id, dialogEvents) => read(() => durable.lookups.whispersLike(id, dialogEvents)),
      hasSeen: (id, speaker) => read(() => durable.lookups.hasSeen(id, speaker)),
      boundTo: (claims) => read(() => durable.lookups.boundTo(claims)),
      request: (key) => read(async () => durable.lookups.request(key)),
    },
    outbox: {
      settle: (id, delivery) =>
        ifAlive(async () => {
          if (crashes("before settle", nodeProcess)) return;
          await durable.outbox.settle(id, delivery);
          outbox.stop(id, delivery);
        }),
      pending: () => read(() => durable.outbox.pending()),
      deadLetters: (query) => read(() => durable.outbox.deadLetters(query)),
      deadLetter: (key) => read(() => durable.outbox.deadLetter(key)),
      redeliver: (key) => ifAlive(() => durable.outbox.redeliver(key)),
      sweep: (before) => ifAlive(() => durable.outbox.sweep(before)),
    },
    settings: { keep: (name, initial) => ifAlive(() => durable.settings.keep(name, initial)) },
    ...sideTablesOf(durable, { read, ifAlive }),
    ready: () => ifAlive(() => durable.ready()),
    close: () => ifAlive(async () => {}),
  };
}

type Access = <T>(work: () => Promise<T>) => Promise<T>;
type SideTables = Pick<FloorStore, "agents" | "catalogue" | "feedback" | "webhooks">;

function sideTablesOf(durable: FloorStore, { read, ifAlive }: { read: Access; ifAlive: Access }): SideTables {
  return {
    agents: {
      agents: () => read(() => durable.agents.agents()),
      keepAgents: (change) => ifAlive(() => durable.agents.keepAgents(change)),
    },
    catalogue: {
      manifests: () => read(() => durable.catalogue.manifests()),
      keepManifests: (change) => ifAlive(() => durable.catalogue.keepManifests(change)),
    },
    feedback: {
      feedback: (traceIds) => read(() => durable.feedback.feedback(traceIds)),
      keepFeedback: (feedback) => ifAlive(() => durable.feedback.keepFeedback(feedback)),
    },
    webhooks: {
      webhooks: () => read(() => durable.webhooks.webhooks()),
      keepWebhooks: (change) => ifAlive(() => durable.webhooks.keepWebhooks(change)),
      webhookLetters: (query) => read(() => durable.webhooks.webhookLetters(query)),
      keepWebhookLetters: (change) => ifAlive(() => durable.webhooks.keepWebhookLetters(change)),
      logRanges: (query) => read(() => durable.webhooks.logRanges(query)),
      logEnd: () => read(() => durable.webhooks.logEnd()),
    },
  };
}

export async function withReadDelay<T>({ time, readMs }: FaultyStoreOptions, work: () => Promise<T>): Promise<T> {
  const { requestMs, responseMs } = readMs();
  if (requestMs > 0) await new Promise<void>((resolve) => time.after(requestMs, resolve));
  const result = await work();
  if (responseMs > 0) await new Promise<void>((resolve) => time.after(responseMs, resolve));
  return result;
}

const readsMax = 10_000;

/** Detects a loop of reads without a pause, in which virtual time would not advance. */
export function createReadGuard() {
  let [step, reads] = [0, 0];
  return {
    check(now: number) {
      reads = now === step ? reads + 1 : 1;
      step = now;
      if (reads > readsMax) throw new Error("the log is read again and again without a pause");
    },
  };
}

const hashOf = ({ hash }: { hash: string }) => hash;

async function append(
  options: Disk,
  own: Unsynced,
  { id, change, expectedSeq }: { id: string; change: Change; expectedSeq: number },
): Promise<"appended" | "conflict"> {
  if (options.crashes("before append", own.nodeProcess)) return "conflict";
  if (options.isNoticedAtAppend() && options.isFull()) throw noSpace();
  if (options.conflicts()) return "conflict";
  const visible = own.pending.findLast(({ conversationId }) => conversationId === id)?.change.floor.seq;
  // Until the sync, the process appends to its own unsynced writes.
  if (visible !== undefined && visible !== expectedSeq) return "conflict";
  return new Promise((resolve, reject) => {
    own.pending.push({ conversationId: id, change, expectedSeq, resolve, reject });
    syncSoon(options, own);
    options.crashes("unsynced", own.nodeProcess);
  });
}

function syncSoon(options: Disk, own: Unsynced): void {
  if (own.isSyncing) return;
  own.isSyncing = true;
  options.time.after(options.syncMs(), () => {
    if (own.nodeProcess.isAlive) sync(options, own).catch(reportBug);
  });
}

/** Writes all pending changes in one sync; each change is atomic. */
async function sync(options: Disk, own: Unsynced): Promise<void> {
  const group = [...own.pending];
  const isFull = options.isFull();
  // A change that follows a lost one is a conflict, even if the sequence numbers match.
  const conflicted = new Set<string>(isFull ? group.map(({ conversationId }) => conversationId) : []);
  const outcomes: ("appended" | "conflict")[] = [];
  for (const { conversationId, change, expectedSeq } of isFull ? [] : group) {
    const hasBase = !conflicted.has(conversationId);
    const outcome = hasBase ? await options.durable.log.append(conversationId, change, expectedSeq) : "conflict";
    if (outcome === "appended") options.outbox.record(conversationId, change);
    else conflicted.add(conversationId);
    outcomes.push(outcome);
  }
  const rest = own.pending.slice(group.length);
  own.pending = rest.filter(({ conversationId }) => !conflicted.has(conversationId));
  own.isSyncing = false;
  if (!isFull && options.crashes("after append", own.nodeProcess)) return;
  for (const [index, { resolve, reject, conversationId, change }] of group.entries()) {
    if (isFull) reject(noSpace());
    else resolve(outcomes[index] ?? "conflict");
    if (outcomes[index] === "appended") options.onDurable(conversationId, own.nodeProcess, change.entries);
  }
  for (const { conversationId, resolve } of rest) if (conflicted.has(conversationId)) resolve("conflict");
  if (own.pending.length > 0) syncSoon(options, own);
}

// Any other failure of the disk is a bug of the simulation.
function reportBug(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
