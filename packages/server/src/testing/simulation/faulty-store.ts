import type { Entry } from "@plenary/floor";
import { StoreError } from "../../errors.ts";
import type { Change, FloorStore } from "../../ports/store.ts";
import { type Life, whileAlive } from "./life.ts";
import { createOutboxBook, type OutboxBook } from "./outbox-book.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Moments at which a process can die, and the disk can fail, on the way of a write. */
export type WritePoint = "before append" | "unsynced" | "after append" | "before settle";

export const noSpace = () => new StoreError("full", "no space left on device", { retryable: true });

type Pending = {
  conversationId: string;
  change: Change;
  expectedSeq: number;
  resolve: (outcome: "appended" | "conflict") => void;
  reject: (error: Error) => void;
};

/** What one process has written and not synced: it alone sees it, and takes it to its grave. */
type Unsynced = { life: Life; pending: Pending[]; isSyncing: boolean };

export type FaultyStoreOptions = {
  time: VirtualTime;
  syncMs: () => number;
  /** How long a question takes to get there, and the answer to come back: it may be out of date by then. */
  readMs: () => { there: number; back: number };
  /** True: the process has died here. */
  dies: (point: WritePoint, life: Life) => boolean;
  isFull: () => boolean;
  /** Whether a full disk is noticed when something is appended, and not only when it is synced. */
  isNoticedEarly: () => boolean;
  /** Somebody else was faster, it seems. */
  conflicts: () => boolean;
  onDurable: (conversationId: string, life: Life, entries: readonly Entry[]) => void;
};

export type FaultyStore = {
  open(life: Life): FloorStore;
  /** Of a process that died: how many writes it had not synced. */
  lost(life: Life): number;
  book: OutboxBook;
  /** What survives everything, as it is now. */
  durable(): FloorStore;
  close(): Promise<void>;
};

/**
 * A disk that several processes share. What is appended is seen by its writer at once and by all others once it is synced;
 * a process that dies before loses it, and so must not have confirmed it.
 */
export function createFaultyStore(options: FaultyStoreOptions & { durable: FloorStore }): FaultyStore {
  const unsynced = new Map<Life, Unsynced>();
  const book = createOutboxBook(options.time);
  return {
    book,
    durable: () => options.durable,
    lost: (life) => unsynced.get(life)?.pending.length ?? 0,
    open(life) {
      const mine: Unsynced = { life, pending: [], isSyncing: false };
      unsynced.set(life, mine);
      return storeOf({ ...options, book }, mine);
    },
    close: async () => {},
  };
}

type Disk = FaultyStoreOptions & { durable: FloorStore; book: OutboxBook };

function storeOf(options: Disk, mine: Unsynced): FloorStore {
  const { durable, dies, book } = options;
  const { life } = mine;
  const newest = (id: string) => mine.pending.findLast(({ conversationId }) => conversationId === id)?.change.floor;
  const patience = createPatience();
  const alive = <T>(work: () => Promise<T>) => whileAlive(life, work);
  const read = <T>(work: () => Promise<T>) => alive(() => slowly(options, work));
  return {
    load: (id) => read(async () => newest(id) ?? durable.load(id)),
    append: (id, change, expectedSeq) => alive(() => append(options, mine, { id, change, expectedSeq })),
    entries: (id, range) =>
      read(() => {
        patience.ask(options.time.steps());
        return durable.entries(id, range);
      }),
    floorAt: (id, seq) => read(() => durable.floorAt(id, seq)),
    list: (query) => read(() => durable.list(query)),
    count: () => read(() => durable.count()),
    seen: (id, utterances) =>
      read(async () => {
        const known = await durable.seen(id, utterances);
        const fresh = mine.pending.filter(({ conversationId }) => conversationId === id);
        const keys = fresh.flatMap(({ change }) => change.dedupe);
        return utterances.map((one, index) => [
          ...(known[index] ?? []),
          ...keys.filter((key) => key.sender === one.sender && key.dialogEventId === one.dialogEventId).map(hashOf),
        ]);
      }),
    whispersLike: (id, dialogEvents) => read(() => durable.whispersLike(id, dialogEvents)),
    hasSeen: (id, speaker) => read(() => durable.hasSeen(id, speaker)),
    boundTo: (claims) => read(() => durable.boundTo(claims)),
    request: (key) => read(() => durable.request(key)),
    settle: (id, delivery) =>
      alive(async () => {
        if (dies("before settle", life)) return;
        await durable.settle(id, delivery);
        book.stop(id, delivery);
      }),
    pending: () => read(() => durable.pending()),
    deadLetters: (query) => read(() => durable.deadLetters(query)),
    deadLetter: (key) => read(() => durable.deadLetter(key)),
    revive: (key) => alive(() => durable.revive(key)),
    sweep: (before) => alive(() => durable.sweep(before)),
    keep: (name, initial) => alive(() => durable.keep(name, initial)),
    agents: () => read(() => durable.agents()),
    keepAgents: (change) => alive(() => durable.keepAgents(change)),
    manifests: () => read(() => durable.manifests()),
    keepManifests: (change) => alive(() => durable.keepManifests(change)),
    feedback: (traceIds) => read(() => durable.feedback(traceIds)),
    keepFeedback: (feedback) => alive(() => durable.keepFeedback(feedback)),
    ready: () => alive(() => durable.ready()),
    close: () => alive(async () => {}),
  };
}

export async function slowly<T>({ time, readMs }: FaultyStoreOptions, work: () => Promise<T>): Promise<T> {
  const { there, back } = readMs();
  if (there > 0) await new Promise<void>((resolve) => time.after(there, resolve));
  const found = await work();
  if (back > 0) await new Promise<void>((resolve) => time.after(back, resolve));
  return found;
}

const readsMax = 10_000;

/** A reader that asks again and again in one breath would never let anything else happen. */
export function createPatience() {
  let [step, reads] = [0, 0];
  return {
    ask(now: number) {
      reads = now === step ? reads + 1 : 1;
      step = now;
      if (reads > readsMax) throw new Error("the log is read again and again without a pause");
    },
  };
}

const hashOf = ({ hash }: { hash: string }) => hash;

async function append(
  options: Disk,
  mine: Unsynced,
  { id, change, expectedSeq }: { id: string; change: Change; expectedSeq: number },
): Promise<"appended" | "conflict"> {
  if (options.dies("before append", mine.life)) return "conflict";
  if (options.isNoticedEarly() && options.isFull()) throw noSpace();
  if (options.conflicts()) return "conflict";
  const visible = mine.pending.findLast(({ conversationId }) => conversationId === id)?.change.floor.seq;
  // Once this process has written to the conversation, it stands on its own ground until that is synced.
  if (visible !== undefined && visible !== expectedSeq) return "conflict";
  return new Promise((resolve, reject) => {
    mine.pending.push({ conversationId: id, change, expectedSeq, resolve, reject });
    syncSoon(options, mine);
    options.dies("unsynced", mine.life);
  });
}

function syncSoon(options: Disk, mine: Unsynced): void {
  if (mine.isSyncing) return;
  mine.isSyncing = true;
  options.time.after(options.syncMs(), () => {
    if (mine.life.isAlive) sync(options, mine).catch(reportBug);
  });
}

/** One trip to the disk for all that was appended meanwhile; each is written whole or not at all. */
async function sync(options: Disk, mine: Unsynced): Promise<void> {
  const group = [...mine.pending];
  const isFull = options.isFull();
  // What was appended on top of something that was not written has lost its ground, whatever the numbers say.
  const groundless = new Set<string>(isFull ? group.map(({ conversationId }) => conversationId) : []);
  const outcomes: ("appended" | "conflict")[] = [];
  for (const { conversationId, change, expectedSeq } of isFull ? [] : group) {
    const isSound = !groundless.has(conversationId);
    const outcome = isSound ? await options.durable.append(conversationId, change, expectedSeq) : "conflict";
    if (outcome === "appended") options.book.note(conversationId, change);
    else groundless.add(conversationId);
    outcomes.push(outcome);
  }
  const rest = mine.pending.slice(group.length);
  mine.pending = rest.filter(({ conversationId }) => !groundless.has(conversationId));
  mine.isSyncing = false;
  if (!isFull && options.dies("after append", mine.life)) return;
  for (const [index, { resolve, reject, conversationId, change }] of group.entries()) {
    if (isFull) reject(noSpace());
    else resolve(outcomes[index] ?? "conflict");
    if (outcomes[index] === "appended") options.onDurable(conversationId, mine.life, change.entries);
  }
  for (const { conversationId, resolve } of rest) if (groundless.has(conversationId)) resolve("conflict");
  if (mine.pending.length > 0) syncSoon(options, mine);
}

// A disk that fails in a way nobody asked for is a bug of the simulation.
function reportBug(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
