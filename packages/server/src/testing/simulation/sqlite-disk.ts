import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Change } from "../../ports/conversation-log.ts";
import type { FloorStore } from "../../ports/store.ts";
import { createSqliteStore } from "../../store/sqlite/store.ts";
import { createReadGuard, type FaultyStore, type FaultyStoreOptions, noSpace, withReadDelay } from "./faulty-store.ts";
import { type NodeProcess, whileAlive } from "./node-process.ts";
import { createOutboxHistory, type OutboxHistory } from "./outbox-history.ts";

type Disk = FaultyStoreOptions & { outbox: OutboxHistory; unsynced: Map<NodeProcess, number>; isOver: boolean };

/**
 * A faulty store with a real SQLite file. After a crash the next process opens a copy of the files as they were at that
 * moment, so it does not see uncommitted writes.
 */
export function createSqliteDisk(options: FaultyStoreOptions): FaultyStore {
  const folder = mkdtempSync(join(tmpdir(), "plenary-simulation-"));
  const outbox = createOutboxHistory(options.time);
  const unsynced = new Map<NodeProcess, number>();
  const disk: Disk = { ...options, outbox, unsynced, isOver: false };
  const opened: FloorStore[] = [];
  const fileOf = (count: number) => join(folder, `${count}.db`);
  return {
    outbox,
    lost: (nodeProcess) => unsynced.get(nodeProcess) ?? 0,
    durable() {
      const newest = opened.at(-1);
      if (newest === undefined) throw new Error("no store was opened");
      return newest;
    },
    open(nodeProcess) {
      const file = fileOf(opened.length + 1);
      for (const part of ["", "-wal"]) {
        const previous = `${fileOf(opened.length)}${part}`;
        if (existsSync(previous)) copyFileSync(previous, `${file}${part}`);
      }
      const schedule = (run: () => void) => {
        options.time.after(options.syncMs(), () => {
          if (nodeProcess.isAlive) run();
        });
      };
      const store = createSqliteStore(file, { soon: schedule });
      opened.push(store);
      return storeOf(disk, store, nodeProcess);
    },
    async close() {
      disk.isOver = true;
      for (const store of opened) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function storeOf(disk: Disk, store: FloorStore, nodeProcess: NodeProcess): FloorStore {
  const readGuard = createReadGuard();
  const ifAlive = <T>(work: () => Promise<T>) => whileAlive(nodeProcess, work);
  const read = <T>(work: () => Promise<T>) => ifAlive(() => withReadDelay(disk, work));
  return {
    ...store,
    log: {
      ...store.log,
      load: (id) => read(async () => store.log.load(id)),
      append: (id, change, expectedSeq) => ifAlive(() => append(disk, store, nodeProcess, { id, change, expectedSeq })),
      entries: (id, range) =>
        read(() => {
          readGuard.check(disk.time.steps());
          return store.log.entries(id, range);
        }),
    },
    lookups: { ...store.lookups, seen: (id, utterances) => read(async () => store.lookups.seen(id, utterances)) },
    outbox: {
      ...store.outbox,
      pending: () => read(() => store.outbox.pending()),
      settle: (id, delivery) =>
        ifAlive(async () => {
          if (disk.crashes("before settle", nodeProcess)) return;
          await store.outbox.settle(id, delivery);
          disk.outbox.stop(id, delivery);
        }),
    },
  };
}

async function append(
  disk: Disk,
  store: FloorStore,
  nodeProcess: NodeProcess,
  { id, change, expectedSeq }: { id: string; change: Change; expectedSeq: number },
): Promise<"appended" | "conflict"> {
  const { crashes, isFull, conflicts, onDurable, outbox, unsynced } = disk;
  if (crashes("before append", nodeProcess)) return "conflict";
  if (isFull()) throw noSpace();
  if (conflicts()) return "conflict";
  const written = store.log.append(id, change, expectedSeq);
  unsynced.set(nodeProcess, (unsynced.get(nodeProcess) ?? 0) + 1);
  crashes("unsynced", nodeProcess);
  const outcome = await written;
  unsynced.set(nodeProcess, (unsynced.get(nodeProcess) ?? 1) - 1);
  // `close` commits the writes of dead processes, to files that are not read any more.
  if (outcome === "conflict" || disk.isOver) return outcome;
  outbox.record(id, change);
  if (crashes("after append", nodeProcess)) return outcome;
  onDurable(id, nodeProcess, change.entries);
  return outcome;
}
